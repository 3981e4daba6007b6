package io.ocicat.plugins.calico;

import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.Result;
import io.ocicat.cni.SpecVersion;
import io.ocicat.cni.plugin.AddCall;
import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.Prefetch;
import io.ocicat.datastore.config.DatastoreConfig;
import io.ocicat.datastore.model.IpPool;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.MacAddress;
import io.ocicat.ipam.assign.AssignPrefetch;
import io.ocicat.plugins.calicocluster.CalicoBackend;
import io.ocicat.plugins.calicocluster.EmbeddedNode;
import io.ocicat.plugins.calicocluster.IpamPrefetch;
import io.ocicat.plugins.calicolog.CalicoLog;
import io.ocicat.plugins.net.AttachmentOwner;
import io.ocicat.plugins.net.NetnsSockets;
import io.ocicat.plugins.net.VethPair;
import io.ocicat.plugins.resident.EndpointReadiness;
import io.ocicat.plugins.support.Undo;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Performs one ADD, from top to bottom in the order that Calico's users know. The request is
 * validated completely before anything changes; a later failure undoes what was done, in reverse.
 */
final class CalicoAdd {
  private final AddCall call;
  private final CalicoConf conf;
  private final Function<DatastoreConfig, Datastore> datastores;
  private final WatchedNatPools followed;
  private final IpamPrefetch early;
  private final EndpointReadiness agent;
  private final CalicoLog log;

  CalicoAdd(
      AddCall call,
      CalicoConf conf,
      Function<DatastoreConfig, Datastore> datastores,
      WatchedNatPools followed,
      IpamPrefetch early,
      EndpointReadiness agent,
      CalicoLog log) {
    this.call = call;
    this.conf = conf;
    this.datastores = datastores;
    this.followed = followed;
    this.early = early;
    this.agent = agent;
    this.log = log;
  }

  Result add(int mtu) {
    String node = conf.node().requireStarted();
    WorkloadIdentity identity = WorkloadIdentity.of(call, node, conf.mesosLabels());
    CalicoBackend backend = CalicoBackend.of(call, datastores);
    refuseImpossible(identity, backend);
    log.debug(() -> "attaching %s on node %s".formatted(identity, node));
    return backend.withPodCache(() -> add(identity, backend, mtu));
  }

  private Result add(WorkloadIdentity identity, CalicoBackend backend, int mtu) {
    AddInputs asked = AddInputs.ask(conf, backend, identity);
    Optional<AssignPrefetch> assigning =
        conf.ipamType().equals(CalicoConf.CALICO_IPAM)
            ? early.ask(backend, call)
            : Optional.empty();
    try (NetnsSockets host = NetnsSockets.ofHost(call)) {
      // While the datastore answers.
      NatOutgoingReconciler nat =
          NatOutgoingReconciler.of(host, call.network(), conf, identity.node(), backend);
      NatOutgoingReconciler.Snapshot node = nat.look();
      Supplier<List<IpPool>> pools =
          node.agent().isPresent() ? List::of : followed.pools(backend, nat);
      asked.requireReady();
      EmbeddedNode.ensure(backend, identity.node());
      CalicoReadiness.await(conf.readinessGates(), call.deadline());
      Runnable masquerade = () -> nat.apply(node.decide(pools), node.tables());
      return early.add(assigning, () -> add(identity, backend, asked, host, masquerade, mtu));
    }
  }

  private Result add(
      WorkloadIdentity identity,
      CalicoBackend backend,
      AddInputs asked,
      NetnsSockets host,
      Runnable masquerade,
      int mtu) {
    WorkloadEndpoints endpoints = new WorkloadEndpoints(backend.datastore());
    Optional<Resource> former = asked.endpoint();
    log.debug(() -> "existing endpoint: " + former.map(Resource::describe).orElse("none"));
    try (NetnsSockets container = NetnsSockets.of(call.netns())) {
      requireFreeName(container);
      if (former.isPresent() && !identity.isPod()) {
        return new ExistingEndpoint(call, conf, former.get()).joined(identity, endpoints);
      }
      Optional<Result> intactResult =
          former.flatMap(
              it -> new ExistingEndpoint(call, conf, it).intactResult(identity, container));
      if (intactResult.isPresent()) {
        log.info("ADD was done before");
        return intactResult.get();
      }
      return make(
          identity,
          backend,
          workload(identity, backend, asked),
          former,
          host,
          container,
          masquerade,
          mtu);
    }
  }

  /**
   * The specification wants a second ADD to fail. Calico answers it, and users of its versions may
   * rely on that.
   */
  private void requireFreeName(NetnsSockets container) {
    if (call.version().compareTo(SpecVersion.V1_1_0) >= 0) {
      VethPair.requireFreeName(container, call.ifName().value());
    }
  }

  private void refuseImpossible(WorkloadIdentity identity, CalicoBackend backend) {
    if (!identity.isPod() && conf.features().ipAddrsNoIpam()) {
      throw new CniException(
          ErrorCode.INVALID_NETWORK_CONFIG,
          "requested feature is not supported for this runtime: ip_addrs_no_ipam",
          "only pods can have it: leave feature_control.ip_addrs_no_ipam out");
    }
    if (backend.isKubernetes() && !identity.isPod()) {
      throw new CniException(
          ErrorCode.INVALID_ENVIRONMENT,
          "unable to determine Pod name",
          "with datastore_type kubernetes CNI_ARGS must have K8S_POD_NAME and K8S_POD_NAMESPACE");
    }
    if (backend.isKubernetes() && conf.policy().isNone()) {
      throw new CniException(
          ErrorCode.INVALID_NETWORK_CONFIG,
          "policy.type must be \"k8s\" with datastore_type kubernetes",
          "Kubernetes has no place for a profile of the network");
    }
  }

  private Result make(
      WorkloadIdentity identity,
      CalicoBackend backend,
      Workload workload,
      Optional<Resource> former,
      NetnsSockets host,
      NetnsSockets container,
      Runnable masquerade,
      int mtu) {
    AttachmentOwner owner = AttachmentOwner.of(call);
    Annotations wanted = Annotations.of(workload);
    try (Undo undo = new Undo()) {
      AddressAllocation allocation =
          identity.isPod()
              ? AddressAllocation.of(call, conf, backend, identity, wanted, former, undo)
              : AddressAllocation.of(call, conf, backend, identity, undo);
      List<IpAddress> addresses = allocation.addresses();
      log.debug(() -> "addresses %s".formatted(addresses));
      Dataplane.Plan plan =
          new Dataplane.Plan(
              owner,
              identity.veth(call.environment()),
              identity.isPod() ? Optional.empty() : Optional.of(identity.otherVeth()),
              wanted.mac().orElseGet(VethPair::randomMac),
              mtu,
              conf.queues(),
              addresses,
              allocation.routes(),
              conf.allowIpForwarding(),
              allocation.routing());
      Supplier<VethPair> connect =
          () -> {
            VethPair veth =
                undo.onFailure(
                    new Dataplane(host, container, plan).connect(), made -> made.delete(host));
            masquerade.run();
            followed.register(call.network(), conf, identity.node(), backend);
            log.debug(() -> "veth pair %s with MAC %s".formatted(veth.host().name(), plan.mac()));
            return veth;
          };
      Function<String, Supplier<Resource>> recording =
          name ->
              record(
                  identity, backend, former, workload, wanted, addresses, name, plan.mac(), undo);
      String hostName;
      Resource stored;
      if (isRecordKnown(backend, former, plan)) {
        hostName = plan.name();
        stored = atOnce(connect, recording.apply(hostName));
      } else {
        hostName = connect.get().host().name();
        stored = recording.apply(hostName).get();
      }
      awaitPolicy(stored);
      return undo.keep(AddResult.of(call, allocation.result(), hostName, plan.mac(), mtu));
    }
  }

  private Workload workload(WorkloadIdentity identity, CalicoBackend backend, AddInputs asked) {
    if (!identity.isPod()) {
      return Workload.on(call.config().name(), MesosLabels.sanitised(conf.mesosLabels()));
    }
    if (!conf.policy().isKubernetes()) {
      return Workload.on(call.config().name(), Map.of());
    }
    Workload workload = Workload.ofPod(call, backend, identity, asked.namespace(), asked.pod());
    if (!workload.node().isEmpty() && !workload.node().equals(identity.node())) {
      log.warn(
          "%s is on node \"%s\", but this node calls itself \"%s\": is %s of another machine?"
              .formatted(identity, workload.node(), identity.node(), conf.node().file()));
    }
    return workload;
  }

  /**
   * Whether the endpoint is new and says nothing that making the veth pair may change. One of an
   * earlier container stays as it is until there is something to replace it with.
   */
  private static boolean isRecordKnown(
      CalicoBackend backend, Optional<Resource> former, Dataplane.Plan plan) {
    return !backend.isEmbedded() && former.isEmpty() && plan.otherName().isEmpty();
  }

  /**
   * Writes the endpoint while the kernel works. Agents take an endpoint whose interface is still to
   * come, as they take an interface whose endpoint is.
   */
  private static Resource atOnce(Supplier<VethPair> connect, Supplier<Resource> recording) {
    List<Supplier<Optional<Resource>>> both =
        List.of(
            () -> {
              VethPair _ = connect.get();
              return Optional.empty();
            },
            () -> Optional.of(recording.get()));
    return Prefetch.all(both).getLast().orElseThrow();
  }

  /** Says how to take the endpoint back, and then how to write it. */
  private Supplier<Resource> record(
      WorkloadIdentity identity,
      CalicoBackend backend,
      Optional<Resource> former,
      Workload workload,
      Annotations wanted,
      List<IpAddress> addresses,
      String hostName,
      MacAddress mac,
      Undo undo) {
    WorkloadEndpoints endpoints = new WorkloadEndpoints(backend.datastore());
    ResourceKey.Named key = former.map(it -> (ResourceKey.Named) it.key()).orElseGet(identity::key);
    EndpointDocument document =
        new EndpointDocument(
            identity,
            EndpointDocument.endpointOf(key.name(), identity.endpoint()),
            workload,
            wanted,
            addresses,
            hostName,
            mac.toString());
    undo.onFailure(() -> endpoints.delete(key, it -> AddressAllocation.isOf(it, identity)));
    return () -> {
      Resource written = endpoints.write(key, former, document::onto);
      log.debug(() -> "wrote " + written.describe());
      if (conf.policy().isNone()) {
        NetworkProfile.ensure(backend.datastore(), call.config().name(), identity.isPod());
      }
      return written;
    };
  }

  /** Late policy is Felix's problem, and no reason to keep a pod from starting. */
  private void awaitPolicy(Resource endpoint) {
    PolicyStatusWait wait =
        new PolicyStatusWait(conf.endpointStatusDir(), conf.policySetupTimeout(), agent);
    if (!conf.policySetupTimeout().isZero() && !wait.await(endpoint, call.deadline())) {
      log.warn(
          "policy of %s was not in place after %s: is Felix running, and does it write to %s?"
              .formatted(endpoint.describe(), conf.policySetupTimeout(), conf.endpointStatusDir()));
    }
  }
}
