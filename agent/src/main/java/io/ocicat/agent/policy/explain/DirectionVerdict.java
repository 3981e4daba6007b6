package io.ocicat.agent.policy.explain;

import io.ocicat.agent.filter.PolicyDirection;
import java.util.List;

/**
 * What policy decides about a packet of one endpoint in one direction, and how it came to that.
 *
 * @param steps in their order, at least one
 */
public record DirectionVerdict(
    PolicyDirection direction, boolean allowed, List<EvaluationStep> steps) {
  public DirectionVerdict {
    steps = List.copyOf(steps);
  }

  /** What decided. */
  public EvaluationStep decisive() {
    return steps.getLast();
  }
}
