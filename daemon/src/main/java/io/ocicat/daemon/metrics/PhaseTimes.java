package io.ocicat.daemon.metrics;

import io.ocicat.daemon.trace.CallTrace;
import io.ocicat.daemon.trace.Phase;
import java.util.EnumMap;
import java.util.Map;

/** Adds up the time that one call spent in one phase, counting nested steps once. */
final class PhaseTimes {
  private long nanos;
  private long end;

  private PhaseTimes(long start) {
    this.end = start;
  }

  static Map<Phase, PhaseTimes> of(CallTrace trace) {
    Map<Phase, PhaseTimes> times = new EnumMap<>(Phase.class);
    trace.eachStep(
        (phase, start, end) ->
            times.computeIfAbsent(phase, _ -> new PhaseTimes(start)).add(start, end));
    return times;
  }

  /** A step within a step of the same phase is part of it. */
  private void add(long start, long stepEnd) {
    if (start - end >= 0) {
      nanos += stepEnd - start;
      end = stepEnd;
    }
  }

  long nanos() {
    return nanos;
  }
}
