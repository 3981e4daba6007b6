package io.ocicat.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.agent.filter.FirstPacket;
import io.ocicat.agent.filter.IcmpMatch;
import io.ocicat.agent.filter.PolicyDirection;
import io.ocicat.agent.matrix.Cell;
import io.ocicat.agent.matrix.Packet;
import io.ocicat.agent.matrix.TruthTable;
import io.ocicat.agent.policy.explain.DirectionVerdict;
import io.ocicat.agent.policy.explain.PolicyEvaluation;
import io.ocicat.agent.policy.explain.PolicySnapshot;
import io.ocicat.agent.policy.model.PolicyMember;
import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceQuery;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Function;

/**
 * What {@code ocicat policy explain} says about the cells between pods, compared with what packets
 * said. It knows nothing of host endpoints, so it is asked only where there are none.
 */
final class ExplainedCells implements TruthTable.Opinion {
  private final Datastore datastore;
  private long compared;

  ExplainedCells(Datastore datastore) {
    this.datastore = datastore;
  }

  /** How many cells agreed. */
  long compared() {
    return compared;
  }

  @Override
  public void compare(List<Cell> cells, Function<Cell, Packet> packet, BitSet open) {
    List<Resource> resources = new ArrayList<>();
    PolicySnapshot.KINDS.forEach(
        kind -> resources.addAll(datastore.list(ResourceQuery.of(kind)).items()));
    if (resources.stream().anyMatch(it -> it.kind() == Kind.HOST_ENDPOINT)) {
      return;
    }
    PolicySnapshot snapshot = PolicySnapshot.of(resources);
    PolicyEvaluation evaluation = new PolicyEvaluation(snapshot);
    for (int i = 0; i < cells.size(); i++) {
      Cell cell = cells.get(i);
      if (cell.from().isPod() && cell.to().isPod()) {
        FirstPacket first = firstPacket(packet.apply(cell));
        List<DirectionVerdict> verdicts =
            List.of(
                evaluation.evaluate(
                    member(snapshot.workload(first.source())), PolicyDirection.EGRESS, first),
                evaluation.evaluate(
                    member(snapshot.workload(first.destination())),
                    PolicyDirection.INGRESS,
                    first));
        assertThat(verdicts.stream().allMatch(DirectionVerdict::allowed))
            .as("explain says of %s: %s", cell, verdicts)
            .isEqualTo(open.get(i));
        compared++;
      }
    }
  }

  private static PolicyMember member(Optional<PolicyMember.Workload> found) {
    return found.orElseThrow();
  }

  private static FirstPacket firstPacket(Packet packet) {
    boolean ping = packet.icmpType() != 0;
    return new FirstPacket(
        packet.source(),
        packet.destination(),
        packet.protocol(),
        ping ? OptionalInt.empty() : OptionalInt.of(packet.sourcePort()),
        ping ? OptionalInt.empty() : OptionalInt.of(packet.destinationPort()),
        ping
            ? Optional.of(new IcmpMatch(packet.icmpType(), OptionalInt.of(packet.icmpCode())))
            : Optional.empty());
  }
}
