package io.ocicat.cli.connectivity;

import io.ocicat.cli.check.AttachmentCheck;
import io.ocicat.cli.check.BirdSessions;
import io.ocicat.cli.check.ClusterPeers;
import io.ocicat.cli.check.Discrepancy;
import io.ocicat.cli.check.ExpectedAttachment;
import io.ocicat.cli.check.PathCheck;
import io.ocicat.cli.policy.PolicyCause;
import io.ocicat.ip.IpAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Finds the state of this node that explains why packets were lost: of the pods' attachments, of
 * the path to the other node, then policy, then rules of others. Not thread-safe.
 */
final class Explanation {
  private final String node;
  private final AttachmentCheck attachments;
  private final PathCheck paths;
  private final ClusterPeers peers;
  private final BirdSessions sessions;
  private final PolicyCause policy;
  private final int tcpPort;
  private final Map<String, ProbeSource> localPods;
  private final Map<String, List<Discrepancy>> checked = new HashMap<>();

  /**
   * @param node this node's name
   * @param tcpPort where probes connect to
   * @param localPods by name
   */
  Explanation(
      String node,
      AttachmentCheck attachments,
      PathCheck paths,
      ClusterPeers peers,
      BirdSessions sessions,
      PolicyCause policy,
      int tcpPort,
      Map<String, ProbeSource> localPods) {
    this.node = node;
    this.attachments = attachments;
    this.paths = paths;
    this.peers = peers;
    this.sessions = sessions;
    this.policy = policy;
    this.tcpPort = tcpPort;
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
      if (to.kind() == ProbeTarget.Kind.POD) {
        lease(to.name(), to.node(), answer.address()).ifPresent(found::add);
      }
      if (to.kind() != ProbeTarget.Kind.OUTSIDE) {
        from.addresses().stream()
            .filter(own -> own.isV4() == answer.address().isV4())
            .flatMap(own -> lease(from.name(), node, own).stream())
            .findFirst()
            .ifPresent(found::add);
      }
      found.addAll(path(to, answer.address()));
    }
    found.removeIf(one -> one.kind() == Discrepancy.Kind.UNKNOWN);
    if (answer.isTooLarge()) {
      // Small packets arrive: only a link that takes less explains it.
      found.removeIf(one -> one.kind() != Discrepancy.Kind.MTU);
    }
    if (found.isEmpty() && !answer.isTooLarge()) {
      denied(from, answer).ifPresent(found::add);
    }
    if (found.isEmpty()) {
      found.addAll(paths.firewall());
    }
    return found.stream().findFirst();
  }

  /** Policy is asked about what was not answered: echo requests, or else TCP. */
  private Optional<Discrepancy> denied(ProbeSource from, Probe.Answer answer) {
    List<IpAddress> senders =
        from.attachment().isPresent()
            ? from.addresses()
            : peers.nodes().getOrDefault(from.name(), List.of());
    return senders.stream()
        .filter(sender -> sender.isV4() == answer.address().isV4())
        .findFirst()
        .flatMap(
            sender ->
                answer.mtu() == 0
                    ? policy.ofPing(sender, answer.address())
                    : policy.ofTcp(sender, answer.address(), tcpPort));
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
      case POD -> to.node().equals(node) ? List.of() : toPods(to.node(), address);
      case OUTSIDE -> paths.toOutside(address);
    };
  }

  private List<Discrepancy> toPods(String other, IpAddress address) {
    List<IpAddress> addresses = peers.nodes().getOrDefault(other, List.of());
    List<Discrepancy> found = new ArrayList<>(paths.toPods(other, addresses, address));
    int route =
        found.stream().map(Discrepancy::kind).toList().indexOf(Discrepancy.Kind.REMOTE_ROUTE);
    if (route >= 0) {
      sessions.missing(other, addresses, address).ifPresent(cause -> found.add(route, cause));
    }
    return found;
  }

  /** A pod of flannel is reached by the lease that its address is in. */
  private Optional<Discrepancy> lease(String pod, String owner, IpAddress address) {
    return peers.isWithoutLease(address)
        ? Optional.of(
            new Discrepancy(
                Discrepancy.Kind.FLANNEL_LEASE,
                "flannel's lease for %s, the address of %s".formatted(address, pod),
                "missing",
                "",
                "%s should have it: see that `ocicat node` (or flanneld) runs there, and its log"
                    .formatted(owner)))
        : Optional.empty();
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
