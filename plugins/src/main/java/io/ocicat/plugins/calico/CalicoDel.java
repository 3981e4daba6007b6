package io.ocicat.plugins.calico;

import io.ocicat.cni.CniException;
import io.ocicat.cni.PluginConfig;
import io.ocicat.cni.plugin.DelCall;
import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.Prefetch;
import io.ocicat.datastore.config.DatastoreConfig;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.ipam.assign.ReleasePrefetch;
import io.ocicat.plugins.calicocluster.CalicoBackend;
import io.ocicat.plugins.calicocluster.DatastoreChoice;
import io.ocicat.plugins.calicocluster.IpamPrefetch;
import io.ocicat.plugins.calicolog.CalicoLog;
import io.ocicat.plugins.masquerade.Masquerade;
import io.ocicat.plugins.net.AttachmentOwner;
import io.ocicat.plugins.net.NetnsSockets;
import io.ocicat.plugins.net.OwnedVeth;
import io.ocicat.plugins.support.BestEffort;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Performs one DEL. What is on this machine goes first and needs only the kernel; then the
 * endpoint; then the addresses, which others may only get when nothing leads here any more. Without
 * a datastore the remaining work is reported as a temporary failure: the daemon or the runtime
 * retries it, or GC finds it.
 */
final class CalicoDel {
  private final DelCall call;
  private final Function<DatastoreConfig, Datastore> datastores;
  private final IpamPrefetch early;
  private final Function<CalicoConf, CalicoLog> logs;

  /** Whether the container has another interface, whose addresses share the handle. */
  private boolean livesOn;

  /** What IPAM will have to know. */
  private Optional<ReleasePrefetch> releasing = Optional.empty();

  /** Empty when the configuration names none that is usable. */
  private Optional<DatastoreChoice> chosen = Optional.empty();

  /** Whether the datastore cannot be worked with now. */
  private boolean unreachable;

  CalicoDel(
      DelCall call,
      Function<DatastoreConfig, Datastore> datastores,
      IpamPrefetch early,
      Function<CalicoConf, CalicoLog> logs) {
    this.call = call;
    this.datastores = datastores;
    this.early = early;
    this.logs = logs;
  }

  /** What the datastore was asked before the answer was needed. */
  private record Asked(
      WorkloadIdentity identity,
      WorkloadEndpoints endpoints,
      Prefetch<Boolean> ready,
      Prefetch<Optional<Resource>> endpoint) {}

  void run() {
    AttachmentOwner owner = AttachmentOwner.of(call);
    Supplier<Optional<Asked>> asked = askEarly();
    try (NetnsSockets host = NetnsSockets.ofHost(call)) {
      BestEffort.all(
          () -> removeVeth(host, owner),
          () -> Masquerade.remove(host, owner),
          () -> forget(host, asked));
    }
  }

  private void removeVeth(NetnsSockets host, AttachmentOwner owner) {
    Optional<NetnsSockets> container = NetnsSockets.ofRemaining(call.netns());
    try {
      OwnedVeth.remove(host, container, owner, call.previousResult());
    } finally {
      container.ifPresent(NetnsSockets::close);
    }
  }

  /**
   * Asks while the kernel works, whatever is wrong with that: the answer tells. A datastore of this
   * machine is asked only then, so that nothing about it keeps the kernel waiting.
   */
  private Supplier<Optional<Asked>> askEarly() {
    try {
      CalicoConf conf = CalicoConf.of(call);
      DatastoreChoice choice = DatastoreChoice.of(call);
      chosen = Optional.of(choice);
      if (choice.isEmbedded()) {
        return () -> ask(conf, choice);
      }
      Optional<Asked> asked = ask(conf, choice);
      return () -> asked;
    } catch (RuntimeException e) {
      return () -> {
        throw e;
      };
    }
  }

  /** Empty when there is nothing to ask for. */
  private Optional<Asked> ask(CalicoConf conf, DatastoreChoice choice) {
    CalicoBackend backend = choice.open(datastores);
    String node = conf.node().known().orElse("");
    if (node.isEmpty()) {
      conf.node().requireFile();
    }
    WorkloadIdentity identity = WorkloadIdentity.of(call, node, conf.mesosLabels());
    if (backend.isKubernetes() && !identity.isPod()) {
      return Optional.empty();
    }
    if (conf.ipamType().equals(CalicoConf.CALICO_IPAM)) {
      releasing = early.ask(backend, call);
    }
    WorkloadEndpoints endpoints = new WorkloadEndpoints(backend.datastore());
    return Optional.of(
        new Asked(
            identity,
            endpoints,
            backend.ask(() -> CalicoReadiness.require(backend)),
            backend.ask(() -> endpoints.get(identity.key()))));
  }

  private void forget(NetnsSockets host, Supplier<Optional<Asked>> asked) {
    CalicoConf conf = CalicoConf.of(call);
    CalicoLog log = logs.apply(conf);
    log.logged(
        "DEL",
        () -> {
          BestEffort.all(() -> removeEndpoint(conf, asked, host, log), () -> release(conf, log));
          return conf;
        });
  }

  private void removeEndpoint(
      CalicoConf conf, Supplier<Optional<Asked>> asked, NetnsSockets host, CalicoLog log) {
    try {
      asked.get().ifPresent(it -> removeKnownEndpoint(it, host, log));
    } catch (CniException e) {
      // Without the node's name nobody was asked, and addresses are released without it.
      unreachable = conf.node().known().isPresent();
      throw e;
    }
  }

  private void removeKnownEndpoint(Asked asked, NetnsSockets host, CalicoLog log) {
    asked.ready().get();
    WorkloadIdentity identity = asked.identity();
    WorkloadEndpoints endpoints = asked.endpoints();
    Optional<Resource> exact = asked.endpoint().get();
    Optional<Resource> found =
        exact.isPresent() ? exact : otherInterface(endpoints, identity, host);
    if (found.isEmpty()) {
      log.debug(() -> "there is no endpoint of %s".formatted(identity));
      return;
    }
    Optional<Resource> left =
        endpoints.delete(found.get(), endpoint -> isDeletable(endpoint, identity));
    left.ifPresent(
        endpoint ->
            log.warn(
                "%s is kept: it belongs to container %s by now"
                    .formatted(
                        endpoint.describe(), endpoint.text("spec", "containerID").orElse(""))));
  }

  /**
   * An endpoint without a container id may belong to anybody; one with another id belongs to a
   * newer pod.
   */
  private static boolean isDeletable(Resource endpoint, WorkloadIdentity identity) {
    return !identity.isPod()
        || endpoint.text("spec", "containerID").orElse("").isEmpty()
        || AddressAllocation.isOf(endpoint, identity);
  }

  /** ADD keeps an endpoint's name when the interface has another name. */
  private Optional<Resource> otherInterface(
      WorkloadEndpoints endpoints, WorkloadIdentity identity, NetnsSockets host) {
    Optional<Resource> other =
        endpoints.find(identity).filter(endpoint -> AddressAllocation.isOf(endpoint, identity));
    livesOn =
        other
            .flatMap(endpoint -> endpoint.text("spec", "interfaceName"))
            .flatMap(host::link)
            .isPresent();
    return livesOn ? Optional.empty() : other;
  }

  private void release(CalicoConf conf, CalicoLog log) {
    boolean calico = conf.ipamType().equals(CalicoConf.CALICO_IPAM);
    if (calico && unreachable) {
      log.warn("the addresses stay reserved: the datastore cannot be asked to release them");
      return;
    }
    if (calico && livesOn) {
      log.info("the addresses are kept: another interface of the container has the same handle");
      return;
    }
    PluginConfig request = HostLocalRequest.withoutRanges(call.config());
    Runnable del = () -> call.ipam(request).withArgs(WorkloadIdentity.args(call)).del();
    early.del(releasing, () -> chosen.ifPresentOrElse(it -> it.delegating(del), del));
  }
}
