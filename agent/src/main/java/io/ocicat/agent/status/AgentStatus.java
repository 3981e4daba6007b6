package io.ocicat.agent.status;

import java.util.List;

/**
 * What an agent says about itself.
 *
 * @param inSync whether the cluster is known and everything was applied once
 * @param problems what is not as it should be, one line each; the rest works
 * @param unreachable why the datastore cannot be reached; empty when it can
 * @param writes how many changes were sent to the kernel since the start
 */
public record AgentStatus(
    String node,
    boolean inSync,
    List<String> problems,
    String unreachable,
    int nodes,
    int pools,
    int blocks,
    int endpoints,
    int readyEndpoints,
    int routes,
    int workloadMtu,
    long writes) {
  public AgentStatus {
    problems = List.copyOf(problems);
  }

  public static AgentStatus starting(String node) {
    return new AgentStatus(node, false, List.of(), "", 0, 0, 0, 0, 0, 0, 0, 0);
  }

  public AgentStatus withProblems(List<String> all) {
    return new AgentStatus(
        node,
        inSync,
        all,
        unreachable,
        nodes,
        pools,
        blocks,
        endpoints,
        readyEndpoints,
        routes,
        workloadMtu,
        writes);
  }

  /** Whether the node's workloads can be reached as far as this node is concerned. */
  public boolean isReady() {
    return inSync;
  }
}
