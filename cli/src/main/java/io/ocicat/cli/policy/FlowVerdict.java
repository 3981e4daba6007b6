package io.ocicat.cli.policy;

import io.ocicat.agent.filter.FirstPacket;
import io.ocicat.agent.filter.PolicyDirection;
import io.ocicat.agent.policy.explain.DirectionVerdict;
import io.ocicat.agent.policy.explain.PolicyEvaluation;
import io.ocicat.agent.policy.model.PolicyMember;
import io.ocicat.cli.resource.CommandException;
import io.ocicat.ip.IpAddress;
import java.util.Optional;

/**
 * What policy decides about a flow: egress of the sender and ingress of the receiver, both of which
 * must allow it.
 *
 * @param egress empty when the sender is not a pod
 * @param ingress empty when the receiver is not a pod, or is not policed for this sender
 * @param ownNode the node that the sender is, when the receiver runs there: never policed
 */
record FlowVerdict(
    FlowEnd from,
    FlowEnd to,
    FlowPort port,
    FirstPacket packet,
    Optional<DirectionVerdict> egress,
    Optional<DirectionVerdict> ingress,
    Optional<String> ownNode) {

  /**
   * Evaluates a flow.
   *
   * @param v6 whether IPv6 is preferred where both have both
   * @throws CommandException when the two have no address of one family
   */
  static FlowVerdict of(StoredPolicy policy, FlowEnd from, FlowEnd to, FlowPort port, boolean v6) {
    return find(policy, from, to, port, v6)
        .orElseThrow(
            () ->
                new CommandException(
                    "%s and %s have no addresses of the same family"
                        .formatted(from.name(), to.name())));
  }

  /** Empty when the two have no addresses of one family. */
  static Optional<FlowVerdict> find(
      StoredPolicy policy, FlowEnd from, FlowEnd to, FlowPort port, boolean v6) {
    return ofFamily(policy, from, to, port, !v6).or(() -> ofFamily(policy, from, to, port, v6));
  }

  private static Optional<FlowVerdict> ofFamily(
      StoredPolicy policy, FlowEnd from, FlowEnd to, FlowPort port, boolean v4) {
    Optional<IpAddress> source = from.address(v4);
    Optional<IpAddress> destination = to.address(v4);
    if (source.isEmpty() || destination.isEmpty()) {
      return Optional.empty();
    }
    FirstPacket packet = port.packet(source.get(), destination.get());
    PolicyEvaluation evaluation = policy.evaluation();
    Optional<PolicyMember.Workload> receiver = to.endpoint(destination.get());
    Optional<String> ownNode =
        Optional.ofNullable(policy.nodes().get(source.get()))
            .filter(node -> receiver.filter(it -> it.node().equals(node)).isPresent());
    return Optional.of(
        new FlowVerdict(
            from,
            to,
            port,
            packet,
            from.endpoint(source.get())
                .map(sender -> evaluation.evaluate(sender, PolicyDirection.EGRESS, packet)),
            receiver
                .filter(_ -> ownNode.isEmpty())
                .map(it -> evaluation.evaluate(it, PolicyDirection.INGRESS, packet)),
            ownNode));
  }

  boolean isAllowed() {
    return egress.map(DirectionVerdict::allowed).orElse(true)
        && ingress.map(DirectionVerdict::allowed).orElse(true);
  }

  /** The direction that decides: the first that denies, or the last that allows. */
  Optional<DirectionVerdict> decisive() {
    return egress.filter(verdict -> !verdict.allowed()).or(() -> ingress).or(() -> egress);
  }
}
