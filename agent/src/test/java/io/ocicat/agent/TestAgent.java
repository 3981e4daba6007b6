package io.ocicat.agent;

import io.ocicat.agent.config.AgentConfig;
import io.ocicat.agent.config.ConfigSources;
import io.ocicat.agent.config.EffectiveConfig;
import io.ocicat.agent.flannel.FlannelView;
import io.ocicat.agent.kernel.FilterOptions;
import io.ocicat.agent.status.AgentStatus;
import io.ocicat.agent.status.ReadyEndpoints;
import io.ocicat.base.CrashPoints;
import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.netlink.ns.NetNs;
import io.ocicat.testkit.Eventually;
import io.ocicat.testkit.Host;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** An agent in a test's own namespace, without the node's start-up. */
final class TestAgent implements AutoCloseable {
  private final NetNs namespace;
  private final Agent agent;
  private final List<String> log = new CopyOnWriteArrayList<>();
  private final AtomicInteger mtu = new AtomicInteger();
  private @Nullable EffectiveConfig config;

  TestAgent(Host host, Datastore datastore, String node, Path status, Map<String, String> felix) {
    this(host, datastore, node, status, felix, new ReadyEndpoints(), null);
  }

  TestAgent(
      Host host,
      Datastore datastore,
      String node,
      Path status,
      Map<String, String> felix,
      ReadyEndpoints ready,
      @Nullable BgpParts bgp) {
    this(host, datastore, node, status, felix, ready, FilterOptions.USUAL, bgp);
  }

  TestAgent(
      Host host,
      Datastore datastore,
      String node,
      Path status,
      Map<String, String> felix,
      ReadyEndpoints ready,
      FilterOptions options,
      @Nullable BgpParts bgp) {
    this.namespace = NetNs.open(host.path());
    Map<String, String> environment = new HashMap<>(felix);
    environment.put("FELIX_ENDPOINTSTATUSPATHPREFIX", status.toString());
    this.agent =
        Agent.start(
            new AgentParts(
                datastore,
                namespace,
                node,
                (resources, labels) -> configure(environment, node, resources, labels),
                () -> {},
                mtu::set,
                ready,
                CrashPoints.IGNORED,
                log::add,
                options,
                bgp));
  }

  private AgentConfig configure(
      Map<String, String> environment,
      String node,
      Map<String, Resource> resources,
      Map<String, String> labels) {
    config =
        EffectiveConfig.of(
            new ConfigSources(environment, "", List.copyOf(resources.values()), node, labels),
            config);
    return config.config();
  }

  AgentStatus status() {
    return agent.status();
  }

  TestAgent awaitSync() {
    Eventually.await("the agent is in sync", () -> agent.status().inSync());
    return this;
  }

  void follow(FlannelView view) {
    agent.follow(view);
  }

  List<String> log() {
    return log;
  }

  int workloadMtu() {
    return mtu.get();
  }

  @Override
  public void close() {
    agent.close();
    namespace.close();
  }
}
