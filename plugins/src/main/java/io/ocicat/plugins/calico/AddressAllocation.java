package io.ocicat.plugins.calico;

import io.ocicat.base.json.Json;
import io.ocicat.cni.Attachment;
import io.ocicat.cni.CniArgs;
import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.IpConfig;
import io.ocicat.cni.PluginConfig;
import io.ocicat.cni.Result;
import io.ocicat.cni.Route;
import io.ocicat.cni.plugin.AddCall;
import io.ocicat.cni.plugin.Delegate;
import io.ocicat.datastore.cluster.PodNode;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import io.ocicat.ipam.Ipam;
import io.ocicat.ipam.model.CalicoConventions;
import io.ocicat.ipam.model.ClockAndRandom;
import io.ocicat.ipam.model.ReleaseRequest;
import io.ocicat.plugins.calicocluster.CalicoBackend;
import io.ocicat.plugins.calicocluster.HostRouting;
import io.ocicat.plugins.calicocluster.VirtLauncher;
import io.ocicat.plugins.support.Undo;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import tools.jackson.databind.node.ObjectNode;

/**
 * The addresses of one attachment, with the routes that follow from them.
 *
 * @param result of the IPAM plugin
 * @param routes of the container
 * @param routing whether the host needs routes to them
 */
record AddressAllocation(Result result, List<IpPrefix> routes, HostRouting routing) {
  private static final List<IpPrefix> DEFAULT_ROUTES =
      List.of(IpPrefix.parse("0.0.0.0/0"), IpPrefix.parse("::/0"));

  AddressAllocation {
    routes = List.copyOf(routes);
  }

  /**
   * Allocates addresses for a pod according to configuration and annotations.
   *
   * @param former the pod's existing endpoint, of this or an earlier container
   * @param undo releases the addresses when ADD fails later
   */
  static AddressAllocation of(
      AddCall call,
      CalicoConf conf,
      CalicoBackend backend,
      WorkloadIdentity identity,
      Annotations wanted,
      Optional<Resource> former,
      Undo undo) {
    boolean calico = conf.ipamType().equals(CalicoConf.CALICO_IPAM);
    requireAllowed(conf, wanted, calico);
    List<IpPrefix> routes = DEFAULT_ROUTES;
    PluginConfig request = call.config();
    if (conf.ipamType().equals(CalicoConf.HOST_LOCAL)) {
      HostLocalRequest local =
          HostLocalRequest.of(request, () -> podCidrs(conf, backend, identity));
      request = local.request();
      routes = routes(conf, local.routes());
    } else if (calico) {
      request = restricted(request, wanted);
    }
    if (!wanted.ipAddrsNoIpam().isEmpty()) {
      return new AddressAllocation(fixed(wanted.ipAddrsNoIpam()), routes, HostRouting.ROUTED);
    }
    Delegate ipam = call.ipam(request).withArgs(WorkloadIdentity.args(call));
    boolean shared = former.filter(endpoint -> isOf(endpoint, identity)).isPresent();
    boolean named = !wanted.ipAddrs().isEmpty();
    if (named) {
      former.ifPresent(endpoint -> releasePrevious(ipam, endpoint, identity));
    }
    Function<Delegate, Result> one =
        shared
            ? it -> undo.onFailure(it.addWithoutUndo(), got -> release(call, backend, got))
            : Delegate::add;
    Result result = named ? named(ipam, call, wanted.ipAddrs(), one) : one.apply(ipam);
    if (!shared) {
      undo.onFailure(ipam::del);
    }
    requireAddress(result);
    boolean mayMove = calico && (!named || VirtLauncher.mayBe(identity.pod()));
    return new AddressAllocation(
        result, routes, mayMove ? HostRouting.of(result) : HostRouting.ROUTED);
  }

  /** Allocates addresses for a container that is not a pod. */
  static AddressAllocation of(
      AddCall call, CalicoConf conf, CalicoBackend backend, WorkloadIdentity identity, Undo undo) {
    boolean local = conf.ipamType().equals(CalicoConf.HOST_LOCAL);
    PluginConfig request =
        local
            ? HostLocalRequest.of(call.config(), () -> podCidrs(conf, backend, identity)).request()
            : call.config();
    Delegate ipam = call.ipam(request).withArgs(WorkloadIdentity.args(call));
    Result result = undo.onFailure(ipam.add(), _ -> ipam.del());
    requireAddress(result);
    return new AddressAllocation(result, DEFAULT_ROUTES, HostRouting.ROUTED);
  }

  private static void requireAllowed(CalicoConf conf, Annotations wanted, boolean calico) {
    if (!wanted.ipAddrs().isEmpty() && !calico) {
      throw Annotations.refuse("ipAddrs", "needs ipam.type calico-ipam, not " + conf.ipamType());
    }
    if (!wanted.ipAddrsNoIpam().isEmpty() && !calico) {
      throw Annotations.refuse(
          "ipAddrsNoIpam", "needs ipam.type calico-ipam, not " + conf.ipamType());
    }
    if (!wanted.ipAddrsNoIpam().isEmpty() && !conf.features().ipAddrsNoIpam()) {
      throw new CniException(
          ErrorCode.INVALID_NETWORK_CONFIG,
          "requested feature is not enabled: ip_addrs_no_ipam",
          "the pod has the annotation ipAddrsNoIpam; feature_control.ip_addrs_no_ipam permits it");
    }
    if (!wanted.floatingIps().isEmpty() && !conf.features().floatingIps()) {
      throw new CniException(
          ErrorCode.INVALID_NETWORK_CONFIG,
          "requested feature is not enabled: floating_ips",
          "the pod has the annotation floatingIPs; feature_control.floating_ips permits it");
    }
  }

  private static HostLocalRequest.PodCidrs podCidrs(
      CalicoConf conf, CalicoBackend backend, WorkloadIdentity identity) {
    String node = conf.kubernetesNodeName().isEmpty() ? identity.node() : conf.kubernetesNodeName();
    return HostLocalRequest.PodCidrs.of(
        node,
        CalicoBackend.attempt("error getting node " + node, () -> backend.cluster().node(node))
            .map(PodNode::podCidrs)
            .orElse(List.of()));
  }

  private static List<IpPrefix> routes(CalicoConf conf, List<IpPrefix> own) {
    if (own.isEmpty()) {
      return DEFAULT_ROUTES;
    }
    List<IpPrefix> routes = new ArrayList<>(conf.includeDefaultRoutes() ? DEFAULT_ROUTES : own);
    if (conf.includeDefaultRoutes()) {
      own.stream().filter(route -> !routes.contains(route)).forEach(routes::add);
    }
    return routes;
  }

  /** Pools and families in annotations override those in the configuration. */
  private static PluginConfig restricted(PluginConfig config, Annotations wanted) {
    ObjectNode json = config.json();
    if (!(json.get("ipam") instanceof ObjectNode ipam)) {
      return config;
    }
    wanted.ipv4Pools().ifPresent(pools -> ipam.set("ipv4_pools", Json.array(pools)));
    wanted.ipv6Pools().ifPresent(pools -> ipam.set("ipv6_pools", Json.array(pools)));
    wanted
        .families()
        .ifPresent(
            families ->
                ipam.put("assign_ipv4", String.valueOf(families.contains("IPv4")))
                    .put("assign_ipv6", String.valueOf(families.contains("IPv6"))));
    for (String family : List.of("assign_ipv4", "assign_ipv6")) {
      if (ipam.path(family).isBoolean()) {
        ipam.put(family, String.valueOf(ipam.path(family).booleanValue()));
      }
    }
    return PluginConfig.ofRequest(json);
  }

  private static Result fixed(List<IpAddress> addresses) {
    Result result = Result.empty();
    for (IpAddress address : addresses) {
      result = result.withIp(IpConfig.of(IpPrefix.host(address)));
    }
    return result;
  }

  /** Whether an endpoint belongs to this very container, for another of its interfaces. */
  static boolean isOf(Resource endpoint, WorkloadIdentity identity) {
    return endpoint.text("spec", "containerID").orElse("").equals(identity.containerId());
  }

  /**
   * Releases what the pod's previous container may still hold. Its handle says exactly which
   * addresses it had, whatever happened to those in its endpoint since.
   */
  private static void releasePrevious(Delegate ipam, Resource endpoint, WorkloadIdentity identity) {
    String container = endpoint.text("spec", "containerID").orElse("");
    if (!container.isEmpty() && !container.equals(identity.containerId())) {
      ipam.del(new Attachment(container, identity.ifName()));
    }
  }

  private static Result named(
      Delegate ipam, AddCall call, List<IpAddress> addresses, Function<Delegate, Result> add) {
    Result all = Result.empty();
    for (IpAddress address : addresses) {
      List<CniArgs.Arg> args = new ArrayList<>(WorkloadIdentity.args(call).args());
      args.add(new CniArgs.Arg("IP", address.toString()));
      Result one = add.apply(ipam.withArgs(new CniArgs(args)));
      requireAddress(one);
      all = all.withIp(one.ips().getFirst());
      for (Route route : one.routes()) {
        all = all.withRoute(route);
      }
    }
    return all;
  }

  /**
   * Releases the addresses just allocated for a container that already has some. DEL of the IPAM
   * plugin would release those as well: all addresses of a container share one handle.
   */
  private static void release(AddCall call, CalicoBackend backend, Result got) {
    String handle =
        CalicoConventions.containerHandle(call.network().value(), call.containerId().value());
    Ipam.forOneCall(backend.datastore(), ClockAndRandom.ofSystem())
        .release(
            got.ips().stream()
                .map(ip -> new ReleaseRequest(ip.address().address(), handle, null))
                .toList());
  }

  private static void requireAddress(Result result) {
    if (result.ips().isEmpty()) {
      throw new CniException(
          ErrorCode.INTERNAL,
          "IPAM plugin returned missing IP config",
          "IPAM plugin returned no IP addresses in result");
    }
  }

  List<IpAddress> addresses() {
    return result.ips().stream().map(ip -> ip.address().address()).toList();
  }
}
