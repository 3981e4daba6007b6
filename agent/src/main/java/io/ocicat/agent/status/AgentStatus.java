package io.ocicat.agent.status;

import io.ocicat.agent.bird.BgpStatus;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What an agent says about itself.
 *
 * @param inSync whether the cluster is known and everything was applied once
 * @param problems what is not as it should be, one line each; the rest works
 * @param blockers those problems that keep the node from being ready
 * @param unreachable why the datastore cannot be reached; empty when it can
 * @param writes how many changes were sent to the kernel since the start
 * @param bgp how BGP is; null where it is not used
 */
public record AgentStatus(
    String node,
    boolean inSync,
    List<String> problems,
    List<String> blockers,
    String unreachable,
    int nodes,
    int pools,
    int blocks,
    int endpoints,
    int readyEndpoints,
    int routes,
    int workloadMtu,
    long writes,
    @Nullable BgpStatus bgp) {
  public AgentStatus {
    problems = List.copyOf(problems);
    blockers = List.copyOf(blockers);
  }

  /** Without BGP. */
  public AgentStatus(
      String node,
      boolean inSync,
      List<String> problems,
      List<String> blockers,
      String unreachable,
      int nodes,
      int pools,
      int blocks,
      int endpoints,
      int readyEndpoints,
      int routes,
      int workloadMtu,
      long writes) {
    this(
        node,
        inSync,
        problems,
        blockers,
        unreachable,
        nodes,
        pools,
        blocks,
        endpoints,
        readyEndpoints,
        routes,
        workloadMtu,
        writes,
        null);
  }

  public static AgentStatus starting(String node) {
    return new AgentStatus(node, false, List.of(), List.of(), "", 0, 0, 0, 0, 0, 0, 0, 0);
  }

  /** The same with these problems, and one more reason not to be ready unless it is empty. */
  public AgentStatus with(List<String> allProblems, String blocker) {
    return with(
        allProblems,
        Stream.concat(blockers.stream(), Stream.of(blocker).filter(why -> !why.isEmpty())).toList(),
        bgp);
  }

  /** With BGP, what is wrong with it, and why it keeps the node from being ready. */
  public AgentStatus withBgp(BgpStatus now) {
    return with(
        Stream.concat(problems.stream(), now.problems().stream()).toList(),
        Stream.concat(blockers.stream(), now.blocker().stream()).toList(),
        now);
  }

  private AgentStatus with(List<String> all, List<String> blocking, @Nullable BgpStatus now) {
    return new AgentStatus(
        node,
        inSync,
        all,
        blocking,
        unreachable,
        nodes,
        pools,
        blocks,
        endpoints,
        readyEndpoints,
        routes,
        workloadMtu,
        writes,
        now);
  }

  /** Whether the node's workloads can be reached as far as this node is concerned. */
  public boolean isReady() {
    return inSync && blockers.isEmpty();
  }
}
