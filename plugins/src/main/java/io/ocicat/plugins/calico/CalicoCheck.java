package io.ocicat.plugins.calico;

import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.Interface;
import io.ocicat.cni.Result;
import io.ocicat.cni.plugin.CheckCall;
import io.ocicat.cni.plugin.Delegate;
import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.config.DatastoreConfig;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import io.ocicat.netlink.IpFamily;
import io.ocicat.netlink.link.Link;
import io.ocicat.netlink.route.Address;
import io.ocicat.netlink.route.Addresses;
import io.ocicat.netlink.route.Device;
import io.ocicat.netlink.route.Route;
import io.ocicat.netlink.route.RouteFilter;
import io.ocicat.netlink.route.Routes;
import io.ocicat.plugins.calicocluster.CalicoBackend;
import io.ocicat.plugins.calicocluster.VirtLauncher;
import io.ocicat.plugins.net.NetnsSockets;
import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;

/** Implements CHECK: compares the result of ADD with the kernel and the datastore. */
record CalicoCheck(
    CheckCall call, CalicoConf conf, Function<DatastoreConfig, Datastore> datastores) {

  /**
   * Checks both ends of the veth pair, the endpoint and the addresses.
   *
   * @throws CniException naming the first thing that is missing or different
   */
  void run() {
    Result previous = call.requirePreviousResult();
    WorkloadIdentity identity =
        WorkloadIdentity.of(call, conf.node().requireStarted(), conf.mesosLabels());
    CalicoBackend backend = CalicoBackend.of(call, datastores);
    CalicoReadiness.require(backend);
    if (!isWithoutIpam(backend, identity)) {
      Delegate ipam =
          call.ipam(HostLocalRequest.withoutRanges(call.config()))
              .withArgs(WorkloadIdentity.args(call));
      backend.choice().delegating(ipam::check);
    }
    try (NetnsSockets host = NetnsSockets.ofHost(call);
        NetnsSockets container = NetnsSockets.of(call.netns())) {
      Interface inside =
          recorded(
              previous,
              link ->
                  link.name().equals(identity.ifName())
                      && link.sandbox().equals(call.netns().text()));
      Interface outside = recorded(previous, Interface::isOnHost);
      List<IpAddress> addresses =
          previous.ips().stream()
              .filter(ip -> previous.interfaceOf(ip).map(inside::equals).orElse(true))
              .map(ip -> ip.address().address())
              .toList();
      checkContainer(container, inside, addresses);
      NatOutgoingReconciler nat =
          NatOutgoingReconciler.of(host, call.network(), conf, identity.node(), backend);
      NatOutgoingReconciler.Decision masquerading = nat.decide();
      boolean othersRoute =
          isElsewhere(previous, identity) || isLeftToAgent(previous, masquerading);
      checkHost(host, outside.name(), othersRoute ? List.of() : addresses);
      checkEndpoint(backend, identity, outside.name(), addresses);
      nat.verify(masquerading, addresses);
    }
  }

  /** Addresses that the pod brought itself do not belong to IPAM. */
  private boolean isWithoutIpam(CalicoBackend backend, WorkloadIdentity identity) {
    return identity.isPod()
        && conf.features().ipAddrsNoIpam()
        && conf.policy().isKubernetes()
        && !Annotations.of(Workload.ofPod(backend, identity)).ipAddrsNoIpam().isEmpty();
  }

  /**
   * Calico's plugin creates no host route for addresses that a pod requested, and returns no
   * routes: the route appears once Felix has seen the endpoint.
   */
  private boolean isLeftToAgent(Result previous, NatOutgoingReconciler.Decision masquerading) {
    return conf.ipamType().equals(CalicoConf.CALICO_IPAM)
        && previous.routes().isEmpty()
        && masquerading instanceof NatOutgoingReconciler.Decision.LeftToAgent;
  }

  /**
   * A virtual machine that was about to migrate here: Felix decides which host has routes to it.
   */
  private static boolean isElsewhere(Result previous, WorkloadIdentity identity) {
    return identity.isPod() && VirtLauncher.mayBe(identity.pod()) && previous.routes().isEmpty();
  }

  private static Interface recorded(Result previous, Predicate<Interface> wanted) {
    return previous.interfaces().stream()
        .filter(wanted)
        .findFirst()
        .orElseThrow(() -> wrong("prevResult does not have both ends of the veth pair"));
  }

  private static void checkContainer(
      NetnsSockets container, Interface recorded, List<IpAddress> addresses) {
    Link link = requireUp(container, recorded.name());
    recorded
        .macAddress()
        .filter(mac -> !mac.equals(link.mac()))
        .ifPresent(
            mac -> {
              throw wrong(
                  "\"%s\" has the hardware address %s, not %s"
                      .formatted(link.name(), link.mac(), mac));
            });
    Device device = Device.of(link);
    List<IpPrefix> present =
        container.route().list(Addresses.list(device)).stream().map(Address::prefix).toList();
    for (IpAddress address : addresses) {
      if (!present.contains(IpPrefix.host(address))) {
        throw wrong("address %s is not on \"%s\"".formatted(address, link.name()));
      }
      IpAddress gateway = address.isV4() ? Dataplane.GATEWAY_4 : Dataplane.GATEWAY_6;
      List<Route> routes =
          container.route().list(Routes.list(RouteFilter.main(IpFamily.of(address)).dev(device)));
      if (routes.stream().noneMatch(route -> route.gateway().filter(gateway::equals).isPresent())) {
        throw wrong("\"%s\" has no route by %s".formatted(link.name(), gateway));
      }
    }
  }

  private static void checkHost(NetnsSockets host, String name, List<IpAddress> addresses) {
    Link link = requireUp(host, name);
    Device device = Device.of(link);
    for (IpAddress address : addresses) {
      boolean routed =
          host
              .route()
              .list(Routes.list(RouteFilter.main(IpFamily.of(address)).dev(device)))
              .stream()
              .anyMatch(route -> route.destination().equals(IpPrefix.host(address)));
      if (!routed) {
        throw wrong("the host has no route to %s by \"%s\"".formatted(address, name));
      }
    }
  }

  private static void checkEndpoint(
      CalicoBackend backend, WorkloadIdentity identity, String veth, List<IpAddress> addresses) {
    Resource endpoint =
        new WorkloadEndpoints(backend.datastore())
            .find(identity)
            .orElseThrow(() -> wrong("%s has no WorkloadEndpoint".formatted(identity)));
    if (!AddressAllocation.isOf(endpoint, identity)) {
      throw wrong(
          "%s is of container %s, not %s"
              .formatted(
                  endpoint.describe(),
                  endpoint.text("spec", "containerID").orElse(""),
                  identity.containerId()));
    }
    String named = endpoint.text("spec", "interfaceName").orElse("");
    if (!named.equals(veth)) {
      throw wrong(
          "%s names the interface \"%s\", not \"%s\"".formatted(endpoint.describe(), named, veth));
    }
    List<String> networks = WorkloadEndpoints.texts(endpoint, "ipNetworks");
    for (IpAddress address : addresses) {
      if (!networks.contains(IpPrefix.host(address).toString())) {
        throw wrong("%s lacks %s".formatted(endpoint.describe(), address));
      }
    }
  }

  private static Link requireUp(NetnsSockets net, String name) {
    Link link = net.requireLink(name);
    if (!link.kind().equals("veth")) {
      throw wrong("\"%s\" is not a veth".formatted(name));
    }
    if (!link.isUp()) {
      throw wrong("interface \"%s\" is down".formatted(name));
    }
    return link;
  }

  private static CniException wrong(String what) {
    return new CniException(ErrorCode.INTERNAL, what);
  }
}
