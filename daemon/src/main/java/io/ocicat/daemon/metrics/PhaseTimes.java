package io.ocicat.daemon.metrics;

import io.ocicat.daemon.trace.CallTrace;
import io.ocicat.daemon.trace.Phase;
import java.util.EnumMap;
import java.util.Map;

/** What the steps of one phase took together in one call, not counting any twice. */
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

  /** A step within a step of the same phase is a part of that. */
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
