package io.ocicat.agent;

import io.ocicat.agent.config.AgentConfig;
import io.ocicat.agent.kernel.FilterOptions;
import io.ocicat.agent.kernel.RepairLog;
import io.ocicat.agent.status.ReadyEndpoints;
import io.ocicat.base.CrashPoints;
import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.netlink.ns.NetNs;
import java.util.Map;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * What an agent works with.
 *
 * @param host the node's network namespace
 * @param configuration computes the values in force
 * @param refreshNode brings the node's own record up to date: addresses, tunnel addresses. Called
 *     by one thread at a time, never by the agent's own, after pools, the record or the node's
 *     addresses have changed
 * @param workloadMtu told whenever the MTU that workloads can use is another one
 * @param ready told which endpoints are ready, for plugins of the same process
 * @param points passed after every exchange with the kernel, and before the status is published
 * @param bgp null on a node that does not speak BGP
 */
public record AgentParts(
    Datastore datastore,
    NetNs host,
    String nodeName,
    Configuration configuration,
    Runnable refreshNode,
    IntConsumer workloadMtu,
    ReadyEndpoints ready,
    CrashPoints points,
    RepairLog log,
    FilterOptions filter,
    @Nullable BgpParts bgp) {

  /** Without BGP, and the filter as Felix has it. */
  public AgentParts(
      Datastore datastore,
      NetNs host,
      String nodeName,
      Configuration configuration,
      Runnable refreshNode,
      IntConsumer workloadMtu,
      ReadyEndpoints ready,
      CrashPoints points,
      RepairLog log) {
    this(
        datastore,
        host,
        nodeName,
        configuration,
        refreshNode,
        workloadMtu,
        ready,
        points,
        log,
        FilterOptions.USUAL,
        null);
  }

  public AgentParts with(BgpParts speaker) {
    return new AgentParts(
        datastore,
        host,
        nodeName,
        configuration,
        refreshNode,
        workloadMtu,
        ready,
        points,
        log,
        filter,
        speaker);
  }

  public AgentParts with(FilterOptions options) {
    return new AgentParts(
        datastore,
        host,
        nodeName,
        configuration,
        refreshNode,
        workloadMtu,
        ready,
        points,
        log,
        options,
        bgp);
  }

  /** Computes the configuration from the resources of the datastore and whatever else there is. */
  @FunctionalInterface
  public interface Configuration {
    /**
     * The values in force.
     *
     * @param resources FelixConfigurations by name
     * @param nodeLabels the labels of this node
     */
    AgentConfig of(Map<String, Resource> resources, Map<String, String> nodeLabels);
  }
}
