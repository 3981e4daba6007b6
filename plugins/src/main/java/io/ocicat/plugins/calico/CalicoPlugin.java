package io.ocicat.plugins.calico;

import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.PluginConfig;
import io.ocicat.cni.Result;
import io.ocicat.cni.plugin.AddCall;
import io.ocicat.cni.plugin.Call;
import io.ocicat.cni.plugin.CheckCall;
import io.ocicat.cni.plugin.DelCall;
import io.ocicat.cni.plugin.Delegate;
import io.ocicat.cni.plugin.Delegation;
import io.ocicat.cni.plugin.GcCall;
import io.ocicat.cni.plugin.Plugin;
import io.ocicat.cni.plugin.StatusCall;
import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.Datastores;
import io.ocicat.datastore.config.DatastoreConfig;
import io.ocicat.plugins.calicocluster.CalicoBackend;
import io.ocicat.plugins.calicocluster.DatastoreChoice;
import io.ocicat.plugins.calicocluster.DatastoreMembers;
import io.ocicat.plugins.calicocluster.IpamPrefetch;
import io.ocicat.plugins.calicolog.CalicoLog;
import io.ocicat.plugins.resident.EndpointReadiness;
import io.ocicat.plugins.resident.HostReconciler;
import io.ocicat.plugins.resident.ServerClient;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import tools.jackson.databind.node.ObjectNode;

/**
 * Connects a container by a routed veth pair and registers it as a Calico endpoint. {@link
 * CalicoAdd} implements ADD, {@link CalicoDel} DEL.
 */
public final class CalicoPlugin
    implements Plugin, HostReconciler, ServerClient, EndpointReadiness.Client {
  private static final Path MTU_FILE = Path.of("/var/lib/calico/mtu");

  private final Function<DatastoreConfig, Datastore> datastores;
  private final MtuFile mtuFile;
  private final Clock clock;
  private final WatchedNatPools followed;
  private final IpamPrefetch early;
  private volatile EndpointReadiness agent = EndpointReadiness.NO_AGENT;

  public CalicoPlugin(Datastores datastores) {
    this(datastores::of, MTU_FILE, new WatchedNatPools(), new IpamPrefetch());
  }

  /** For tests, which use files of their own. */
  CalicoPlugin(
      Function<DatastoreConfig, Datastore> datastores,
      Path mtuFile,
      WatchedNatPools followed,
      IpamPrefetch early) {
    this.datastores = datastores;
    this.followed = followed;
    this.early = early;
    this.mtuFile = new MtuFile(mtuFile);
    this.clock = Clock.systemUTC();
  }

  @Override
  public Result add(AddCall call) {
    CalicoConf conf = CalicoConf.of(call);
    CalicoLog log = log(call, conf, "ContainerID=" + call.containerId());
    return log.logged(
        "ADD",
        () -> new CalicoAdd(call, conf, datastores, followed, early, agent, log).add(mtu(conf)));
  }

  private int mtu(CalicoConf conf) {
    int written = mtuFile.read(conf.requireMtuFile());
    return conf.mtu() > 0 ? conf.mtu() : written;
  }

  @Override
  public void awaitBy(EndpointReadiness newAgent) {
    agent = newAgent;
  }

  @Override
  public List<Delegation> review(PluginConfig config) {
    CalicoConf conf = CalicoConf.read(config);
    // The node's ranges come from the datastore.
    return Delegation.toIpamIfAny(
        conf.ipamType().equals(CalicoConf.HOST_LOCAL)
            ? HostLocalRequest.withoutRanges(config)
            : config);
  }

  @Override
  public void del(DelCall call) {
    new CalicoDel(
            call, datastores, early, conf -> log(call, conf, "ContainerID=" + call.containerId()))
        .run();
  }

  @Override
  public void check(CheckCall call) {
    CalicoConf conf = CalicoConf.of(call);
    CalicoLog log = log(call, conf, "ContainerID=" + call.containerId());
    log.logged(
        "CHECK",
        () -> {
          new CalicoCheck(call, conf, datastores).run();
          return conf;
        });
  }

  @Override
  public void gc(GcCall call) {
    if (call.validAttachments().isEmpty()) {
      return;
    }
    CalicoConf conf = CalicoConf.of(call);
    CalicoLog log = log(call, conf, "Network=" + call.network());
    log.logged(
        "GC",
        () -> {
          new CalicoGc(call, conf, datastores).run(call.validAttachments().get());
          return conf;
        });
  }

  /** Checks that ADD can be served: the node has a name, and the datastore is ready. */
  @Override
  public void status(StatusCall call) {
    CalicoConf conf = CalicoConf.of(call);
    DatastoreChoice choice;
    try {
      conf.node().requireStarted();
      choice = DatastoreChoice.of(call);
      CalicoBackend backend = choice.open(datastores);
      CalicoReadiness.require(backend);
      CalicoReadiness.requireWritable(backend);
    } catch (CniException e) {
      if (e.is(ErrorCode.INVALID_NETWORK_CONFIG)) {
        throw e;
      }
      throw new CniException(ErrorCode.PLUGIN_NOT_AVAILABLE, e.msg(), e.details());
    }
    Delegate ipam = call.ipam(HostLocalRequest.withoutRanges(call.config()));
    choice.delegating(ipam::status);
  }

  @Override
  public String about() {
    return "Calico CNI plugin (ocicat)";
  }

  @Override
  public boolean hasServer(ObjectNode config) {
    return DatastoreMembers.nameServer(config);
  }

  @Override
  public void updateServer(ObjectNode recorded, ObjectNode current) {
    DatastoreMembers.replace(recorded, current);
  }

  /** Brings the masquerading on this host in line with the current pools. */
  @Override
  public void reconcile(Path hostNetns, boolean thorough, Consumer<String> note) {
    followed.reconcile(hostNetns, thorough, note);
  }

  private CalicoLog log(Call call, CalicoConf conf, String about) {
    return new CalicoLog(call, "calico", conf.log(), about, clock);
  }
}
