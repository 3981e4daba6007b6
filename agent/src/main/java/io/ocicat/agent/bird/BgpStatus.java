package io.ocicat.agent.bird;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * How BGP is on this node.
 *
 * @param isRunning whether BIRD answers
 * @param version BIRD's; empty while it does not answer
 * @param isRecovering whether BIRD waits for its peers after a graceful restart
 * @param isSettling whether the agent has just started, so that sessions may still come
 * @param sessions in BIRD's order
 * @param reloads how often BIRD was given another configuration since the agent's start
 * @param failures what is wrong with BIRD itself, one line each
 */
public record BgpStatus(
    boolean isRunning,
    String version,
    boolean isRecovering,
    boolean isSettling,
    List<BgpSession> sessions,
    long reloads,
    List<String> failures) {
  public BgpStatus {
    sessions = List.copyOf(sessions);
    failures = List.copyOf(failures);
  }

  static BgpStatus notRunning(boolean isSettling, long reloads, List<String> failures) {
    return new BgpStatus(false, "", false, isSettling, List.of(), reloads, failures);
  }

  /** The sessions with nodes and configured peers; what workloads of this node do is theirs. */
  public List<BgpSession> peerings() {
    return sessions.stream()
        .filter(session -> session.type() != BgpSession.PeerType.LOCAL_WORKLOAD)
        .toList();
  }

  public long established() {
    return peerings().stream().filter(BgpSession::isEstablished).count();
  }

  /**
   * Whether the node can be reached through BGP as far as this node is concerned: BIRD runs, and
   * one peer of those configured is there. At the start it waits for all of them, so that a
   * roll-out does not go on before the node's routes are known; later a dead peer is the peer's
   * problem.
   */
  public boolean isReady() {
    if (!isRunning) {
      return false;
    }
    List<BgpSession> peerings = peerings();
    return isSettling
        ? !isRecovering && peerings.stream().allMatch(BgpSession::isEstablished)
        : peerings.isEmpty() || peerings.stream().anyMatch(BgpSession::isEstablished);
  }

  /** Why the node is not ready; empty when it is. */
  public Optional<String> blocker() {
    if (isReady()) {
      return Optional.empty();
    }
    return Optional.of(
        isRunning
            ? "BGP: %d of %d sessions are established%s"
                .formatted(
                    established(),
                    peerings().size(),
                    isRecovering ? ", and BIRD waits for its peers after a restart" : "")
            : "BGP: BIRD does not run");
  }

  /** What is not as it should be, one line each. */
  public List<String> problems() {
    List<String> problems = new ArrayList<>(failures);
    if (!isSettling) {
      for (BgpSession session : peerings()) {
        if (!session.isEstablished()) {
          problems.add(describe(session));
        }
      }
    }
    return problems;
  }

  private static String describe(BgpSession session) {
    return "BGP session with %s (%s) is not established: %s%s%s"
        .formatted(
            session.address(),
            session.type(),
            session.state(),
            session.info().isEmpty() ? "" : ", " + session.info(),
            session.hint().map(hint -> "; " + hint).orElse(""));
  }
}
