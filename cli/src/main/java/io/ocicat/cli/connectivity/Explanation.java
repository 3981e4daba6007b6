package io.ocicat.cli.connectivity;

import io.ocicat.cli.check.AttachmentCheck;
import io.ocicat.cli.check.ClusterPeers;
import io.ocicat.cli.check.Discrepancy;
import io.ocicat.cli.check.ExpectedAttachment;
import io.ocicat.cli.check.PathCheck;
import io.ocicat.ip.IpAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Finds the state of this node that explains why packets were lost: of the pods' attachments, of
 * the path to the other node, then rules of others. Not thread-safe.
 */
final class Explanation {
  private final String node;
  private final AttachmentCheck attachments;
  private final PathCheck paths;
  private final ClusterPeers peers;
  private final Map<String, ProbeSource> localPods;
  private final Map<String, List<Discrepancy>> checked = new HashMap<>();

  /**
   * @param node this node's name
   * @param localPods by name
   */
  Explanation(
      String node,
      AttachmentCheck attachments,
      PathCheck paths,
      ClusterPeers peers,
      Map<String, ProbeSource> localPods) {
    this.node = node;
    this.attachments = attachments;
    this.paths = paths;
    this.peers = peers;
    this.localPods = Map.copyOf(localPods);
  }

  /** The state that explains a failure best, if this node has any. */
  Optional<Discrepancy> of(ProbeSource from, ProbeTarget to, Probe.Answer answer) {
    List<Discrepancy> found = new ArrayList<>();
    from.attachment().ifPresent(attachment -> found.addAll(check(from.name(), attachment)));
    ProbeSource local = localPods.get(to.name());
    if (local != null) {
      local.attachment().ifPresent(attachment -> found.addAll(check(to.name(), attachment)));
    } else {
      found.addAll(path(to, answer.address()));
    }
    found.removeIf(one -> one.kind() == Discrepancy.Kind.UNKNOWN);
    if (answer.isTooLarge()) {
      // Small packets arrive: only a link that takes less explains it.
      found.removeIf(one -> one.kind() != Discrepancy.Kind.MTU);
    }
    if (found.isEmpty()) {
      found.addAll(paths.firewall());
    }
    return found.stream().findFirst();
  }

  /** What is wrong with a pod of this node, or who else drops its packets. */
  Optional<Discrepancy> of(ProbeSource pod) {
    return pod.attachment().stream()
        .flatMap(attachment -> check(pod.name(), attachment).stream())
        .filter(one -> one.kind() != Discrepancy.Kind.UNKNOWN)
        .findFirst()
        .or(() -> paths.firewall().stream().findFirst());
  }

  private List<Discrepancy> check(String pod, ExpectedAttachment attachment) {
    return checked.computeIfAbsent(pod, _ -> attachments.run(attachment));
  }

  private List<Discrepancy> path(ProbeTarget to, IpAddress address) {
    return switch (to.kind()) {
      case NODE -> to.node().equals(node) ? List.of() : paths.toNode(to.node(), address);
      case POD ->
          to.node().equals(node)
              ? List.of()
              : paths.toPods(to.node(), peers.nodes().getOrDefault(to.node(), List.of()), address);
      case OUTSIDE -> paths.toOutside(address);
    };
  }

  /** What to say where this node's state explains nothing. */
  String unexplained(ProbeTarget to) {
    return to.kind() == ProbeTarget.Kind.OUTSIDE || to.node().isEmpty() || to.node().equals(node)
        ? "nothing wrong is found on this node"
        : "nothing wrong is found on this node: run `ocicat connectivity` on %s"
            .formatted(to.node());
  }

  /** With the node that it is true of, and what to do. */
  String sentence(Discrepancy cause) {
    return "%s (on %s); %s".formatted(cause.sentence(), node, cause.advice());
  }
}
