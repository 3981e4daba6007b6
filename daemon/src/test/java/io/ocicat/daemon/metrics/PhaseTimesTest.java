package io.ocicat.daemon.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.daemon.trace.CallTrace;
import io.ocicat.daemon.trace.Phase;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class PhaseTimesTest {
  @Test
  void aPhasesStepsAreAddedUpAndNoneIsCountedTwice() {
    CallTrace trace = new CallTrace(0, Optional.empty());
    trace.add(Phase.PLUGIN, () -> "all", 0, 100);
    trace.add(Phase.LINK, () -> "first", 10, 20);
    trace.add(Phase.DELEGATE, () -> "outer", 20, 90);
    trace.add(Phase.DELEGATE, () -> "inner", 30, 50);
    trace.add(Phase.LINK, () -> "second", 60, 65);

    Map<Phase, PhaseTimes> times = PhaseTimes.of(trace);

    assertThat(times).containsOnlyKeys(Phase.PLUGIN, Phase.LINK, Phase.DELEGATE);
    assertThat(times).extractingByKey(Phase.LINK).returns(15L, PhaseTimes::nanos);
    assertThat(times).extractingByKey(Phase.DELEGATE).returns(70L, PhaseTimes::nanos);
  }

  @Test
  void textsAreNotComposedForIt() {
    CallTrace trace = new CallTrace(0, Optional.empty());
    trace.add(
        Phase.LINK,
        () -> {
          throw new AssertionError("composed");
        },
        0,
        1);

    assertThat(PhaseTimes.of(trace)).hasSize(1);
  }
}
