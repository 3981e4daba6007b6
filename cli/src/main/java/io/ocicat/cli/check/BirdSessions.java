package io.ocicat.cli.check;

import io.ocicat.agent.bird.BgpSession;
import io.ocicat.agent.bird.BirdControl;
import io.ocicat.agent.bird.BirdException;
import io.ocicat.agent.bird.BirdFiles;
import io.ocicat.cli.check.Discrepancy.Kind;
import io.ocicat.ip.IpAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The BGP sessions of this node's BIRD, read once: they explain routes that are missing.
 *
 * @param used whether the node has routes of BIRD at all
 * @param obstacle why the sessions could not be read; empty when they could
 */
public record BirdSessions(boolean used, List<BgpSession> sessions, String obstacle) {
  private static final Duration LIMIT = Duration.ofSeconds(5);

  public BirdSessions {
    sessions = List.copyOf(sessions);
  }

  /** Of the BIRD that the agent with this run directory runs. */
  public static BirdSessions in(Path runDirectory) {
    BirdFiles files = new BirdFiles(runDirectory);
    if (Files.notExists(files.configuration())) {
      return new BirdSessions(false, List.of(), "");
    }
    try (BirdControl control = BirdControl.connect(files.socket(), LIMIT)) {
      return new BirdSessions(true, BgpSession.among(control.protocolsInDetail()), "");
    } catch (BirdException e) {
      return new BirdSessions(true, List.of(), String.valueOf(e.getMessage()));
    }
  }

  /**
   * Says why this node did not learn a route to another node's pods.
   *
   * @param addresses of the other node
   * @param pod an address there
   */
  public Optional<Discrepancy> missing(String node, List<IpAddress> addresses, IpAddress pod) {
    if (!used) {
      return Optional.empty();
    }
    if (!obstacle.isEmpty()) {
      return Optional.of(
          new Discrepancy(
              Kind.BGP_SESSION,
              "BIRD, which learns the routes to other nodes",
              "does not answer: " + obstacle,
              "",
              "the node agent runs it: see that `ocicat node` runs here, and its log"));
    }
    Optional<IpAddress> peer =
        addresses.stream().filter(address -> address.isV4() == pod.isV4()).findFirst();
    Optional<BgpSession> session =
        peer.flatMap(
            address ->
                sessions.stream()
                    .filter(one -> one.address().equals(address.toString()))
                    .findFirst());
    String object =
        "the BGP session with %s (%s)"
            .formatted(node, peer.map(IpAddress::toString).orElse("without an address"));
    if (session.isEmpty()) {
      // Routes may come from a route reflector instead.
      return sessions.stream().anyMatch(BgpSession::isEstablished)
          ? Optional.empty()
          : Optional.of(
              new Discrepancy(
                  Kind.BGP_SESSION,
                  object,
                  "missing, and this node has no other that is established",
                  "",
                  "see BGPConfiguration default (nodeToNodeMeshEnabled) and the BGPPeers"));
    }
    return session
        .filter(one -> !one.isEstablished())
        .map(
            one ->
                new Discrepancy(
                    Kind.BGP_SESSION,
                    object,
                    one.state() + (one.info().isEmpty() ? "" : " (%s)".formatted(one.info())),
                    "Established",
                    one.hint().orElse("see that `ocicat node` and its BIRD run on " + node)));
  }
}
