package io.ocicat.plugins.calicoipam;

import io.ocicat.cni.Attachment;
import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.IpConfig;
import io.ocicat.cni.PluginConfig;
import io.ocicat.cni.Result;
import io.ocicat.cni.plugin.AddCall;
import io.ocicat.cni.plugin.Call;
import io.ocicat.cni.plugin.CheckCall;
import io.ocicat.cni.plugin.DelCall;
import io.ocicat.cni.plugin.Delegation;
import io.ocicat.cni.plugin.GcCall;
import io.ocicat.cni.plugin.Plugin;
import io.ocicat.cni.plugin.StatusCall;
import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.Datastores;
import io.ocicat.datastore.Prefetch;
import io.ocicat.datastore.config.DatastoreConfig;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import io.ocicat.ipam.Ipam;
import io.ocicat.ipam.gc.VirtualMachines;
import io.ocicat.ipam.model.AssignmentResult;
import io.ocicat.ipam.model.AutoAssignResult;
import io.ocicat.ipam.model.CalicoConventions;
import io.ocicat.ipam.model.IpamException;
import io.ocicat.ipam.model.ReleaseRequest;
import io.ocicat.plugins.calicocluster.CalicoBackend;
import io.ocicat.plugins.calicocluster.DatastoreMembers;
import io.ocicat.plugins.calicocluster.EmbeddedNode;
import io.ocicat.plugins.calicocluster.HostRouting;
import io.ocicat.plugins.calicocluster.IpamPrefetch;
import io.ocicat.plugins.calicolog.CalicoLog;
import io.ocicat.plugins.calicolog.LogConf;
import io.ocicat.plugins.resident.NodeIpam;
import io.ocicat.plugins.resident.ServerClient;
import io.ocicat.plugins.support.BestEffort;
import io.ocicat.plugins.support.Undo;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import tools.jackson.databind.node.ObjectNode;

/**
 * Allocates addresses from Calico's IP pools. It writes the same records as Calico, so that nodes
 * with either can share a cluster.
 *
 * <p>DEL needs only the handle, which consists of network and container. A virtual machine has a
 * handle of its own, which outlives its pods.
 */
public final class CalicoIpamPlugin implements Plugin, NodeIpam.Source, ServerClient {
  private static final Path UPGRADED = Path.of("/var/run/calico/cni/ipam_upgraded");

  private final Function<DatastoreConfig, Datastore> datastores;
  private final HostUpgrade upgrade;
  private final Clock clock;
  private final IpamCache ipams = new IpamCache();
  private final HostLock lock = new HostLock();
  private final Map<Map.Entry<DatastoreConfig, String>, CalicoBackend> servedNodes =
      new ConcurrentHashMap<>();

  public CalicoIpamPlugin(Datastores datastores) {
    this(datastores::of, UPGRADED);
  }

  /** For tests, which use files of their own. */
  CalicoIpamPlugin(Function<DatastoreConfig, Datastore> datastores, Path upgraded) {
    this.datastores = datastores;
    this.upgrade = new HostUpgrade(upgraded);
    this.clock = Clock.systemUTC();
  }

  @Override
  public Result add(AddCall call) {
    CalicoIpamConf conf = CalicoIpamConf.read(call.config());
    CalicoBackend backend = CalicoBackend.of(call, datastores);
    IpamRequest request = IpamRequest.of(call, conf, backend, clock.instant());
    Optional<IpAddress> wanted =
        call.args().get(PodReference.REQUESTED_IP, text -> IpAddress.parse(text).unmap());
    CalicoLog log = log(call, conf.log(), "ContainerID=" + call.containerId());
    return log.logged(
        "ADD",
        () -> {
          Ipam ipam = ipam(backend);
          Optional<VmPod> vm =
              request.pod().flatMap(pod -> new VmLookup(backend).keeping(pod, ipam, log));
          servedNodes.put(Map.entry(backend.config(), request.node()), backend);
          try (HostLock.Held _ = lock.acquire(conf.lockFile(), call, log)) {
            upgrade.ensure(backend, ipam, request.node(), log);
            EmbeddedNode.ensure(backend, request.node());
            if (vm.isPresent()) {
              IpamRequest lasting = request.of(vm.get(), call.network().value());
              return allocate(ipam, lasting, vm.get(), wanted, log);
            }
            List<IpPrefix> given =
                wanted
                    .map(address -> exactly(ipam, request, address))
                    .orElseGet(() -> any(ipam, request));
            log.debug(() -> "addresses %s for handle %s".formatted(given, request.handle()));
            return result(given, HostRouting.ROUTED);
          }
        });
  }

  private static Result allocate(
      Ipam ipam, IpamRequest request, VmPod vm, Optional<IpAddress> wanted, CalicoLog log) {
    VmAddresses.Given given = new VmAddresses(ipam, request, vm).allocate(wanted);
    log.debug(
        () ->
            "addresses %s of handle %s for %s".formatted(given.addresses(), request.handle(), vm));
    return result(given.addresses(), given.routing());
  }

  private CalicoLog log(Call call, LogConf conf, String about) {
    return new CalicoLog(call, "calico-ipam", conf, about, clock);
  }

  private Ipam ipam(CalicoBackend backend) {
    Ipam ipam =
        IpamErrors.attempt("error creating calico client", () -> ipams.of(backend.datastore()));
    if (backend.isKubernetes()) {
      IpamPrefetch.offer(backend.config(), new CalicoIpamPrefetch(ipams, backend.datastore()));
    }
    return ipam;
  }

  private static List<IpPrefix> exactly(Ipam ipam, IpamRequest request, IpAddress address) {
    return IpamErrors.attempt(
        "failed to assign IP address " + address,
        () -> {
          ipam.assign(request.exactly(address));
          return List.of(IpPrefix.host(address));
        });
  }

  /** All families or none: a container with half its addresses is useless. */
  private static List<IpPrefix> any(Ipam ipam, IpamRequest request) {
    AutoAssignResult assigned =
        IpamErrors.attempt(
            "failed to request addresses",
            () -> ipam.autoAssign(request.any(), IpamPrefetch.ofAdd()));
    for (AssignmentResult family : assigned.all()) {
      if (!family.isComplete()) {
        try (Undo undo = new Undo()) {
          undo.onFailure(() -> release(ipam, request, assigned.addresses()));
          throw NoAddressReason.of(ipam, family);
        }
      }
    }
    return assigned.addresses();
  }

  private static void release(Ipam ipam, IpamRequest request, List<IpPrefix> addresses) {
    ipam.release(
            addresses.stream()
                .map(address -> new ReleaseRequest(address.address(), request.handle(), null))
                .toList())
        .orThrow();
  }

  private static Result result(List<IpPrefix> addresses, HostRouting routing) {
    return routing.resultOf(addresses.stream().map(IpConfig::of).toList());
  }

  @Override
  public List<Delegation> review(PluginConfig config) {
    CalicoIpamConf.read(config);
    return List.of();
  }

  @Override
  public void del(DelCall call) {
    CalicoBackend backend = CalicoBackend.of(call, datastores);
    String container = call.containerId().value();
    String handle = CalicoConventions.containerHandle(call.network().value(), container);
    Optional<PodReference> pod = PodReference.ifNamed(call);
    String legacy =
        pod.map(it -> CalicoConventions.legacyHandle(it.namespace(), it.name())).orElse(container);
    CalicoLog log =
        log(call, CalicoIpamConf.log(call.config()), "ContainerID=" + call.containerId());
    log.logged(
        "DEL",
        () -> {
          Ipam ipam = ipam(backend);
          VmRelease departure =
              new VmRelease(ipam, new VmLookup(backend), call.network().value(), log);
          try (HostLock.Held _ = lock.acquire(CalicoIpamConf.lockFile(call.config()), call, log)) {
            Prefetch<Boolean> old = backend.ask(() -> exists(ipam, legacy));
            BestEffort.all(
                () -> release(ipam, handle, log),
                () -> releaseIf(old, ipam, legacy, log),
                () -> pod.ifPresent(departure::of));
          }
          return handle;
        });
  }

  private static boolean exists(Ipam ipam, String handle) {
    try {
      ipam.addressesOf(handle);
      return true;
    } catch (IpamException e) {
      return e.reason() != IpamException.Reason.NO_SUCH_HANDLE;
    }
  }

  private static void releaseIf(Prefetch<Boolean> exists, Ipam ipam, String handle, CalicoLog log) {
    if (IpamErrors.attempt("failed to release addresses of handle " + handle, exists::get)) {
      release(ipam, handle, log);
    }
  }

  private static void release(Ipam ipam, String handle, CalicoLog log) {
    IpamErrors.attempt(
        "failed to release addresses of handle " + handle,
        () -> {
          try {
            List<IpAddress> released = ipam.releaseByHandle(handle, IpamPrefetch.ofDel());
            log.debug(() -> "released %s of handle %s".formatted(released, handle));
            return released;
          } catch (IpamException e) {
            if (e.reason() == IpamException.Reason.NO_SUCH_HANDLE) {
              return List.of();
            }
            throw e;
          }
        });
  }

  /** Checks that the container's addresses are still its own. */
  @Override
  public void check(CheckCall call) {
    CalicoBackend backend = CalicoBackend.of(call, datastores);
    List<IpAddress> expected =
        call.requirePreviousResult().ips().stream().map(ip -> ip.address().address()).toList();
    new HolderCheck(
            ipam(backend), backend.datastore(), call.network().value(), PodReference.ifNamed(call))
        .run(
            CalicoConventions.containerHandle(call.network().value(), call.containerId().value()),
            expected);
  }

  @Override
  public void status(StatusCall call) {
    CalicoIpamConf conf = CalicoIpamConf.read(call.config());
    String node = conf.node().require();
    try {
      Availability.require(CalicoBackend.of(call, datastores), conf, node);
    } catch (CniException e) {
      if (e.is(ErrorCode.INVALID_NETWORK_CONFIG)) {
        throw e;
      }
      throw new CniException(ErrorCode.PLUGIN_NOT_AVAILABLE, e.msg(), e.details());
    }
  }

  @Override
  public void gc(GcCall call) {
    Optional<Set<Attachment>> valid = call.validAttachments();
    if (valid.isPresent()) {
      CalicoIpamConf conf = CalicoIpamConf.read(call.config());
      CalicoBackend backend = CalicoBackend.of(call, datastores);
      Set<String> containers =
          valid.get().stream().map(Attachment::containerId).collect(Collectors.toSet());
      CalicoLog log = log(call, conf.log(), "Network=" + call.network());
      log.logged(
          "GC",
          () -> {
            try (HostLock.Held _ = lock.acquire(conf.lockFile(), call, log)) {
              new CalicoIpamGc(ipam(backend), backend.datastore(), conf.node().require())
                  .run(call.network().value(), containers);
            }
            return containers;
          });
    }
  }

  @Override
  public boolean isIpam() {
    return true;
  }

  @Override
  public boolean hasServer(ObjectNode config) {
    return DatastoreMembers.nameServer(config);
  }

  @Override
  public void updateServer(ObjectNode recorded, ObjectNode current) {
    DatastoreMembers.replace(recorded, current);
  }

  @Override
  public List<NodeIpam> nodeIpams() {
    return servedNodes.entrySet().stream()
        .map(
            entry -> {
              CalicoBackend backend = entry.getValue();
              return new NodeIpam(
                  backend.config(),
                  backend.datastore(),
                  ipam(backend),
                  entry.getKey().getValue(),
                  VirtualMachines.of(backend::cluster));
            })
        .toList();
  }

  @Override
  public String about() {
    return "CNI calico-ipam plugin (ocicat)";
  }
}
