package io.ocicat.base.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class StepRecorderTest {
  private final StepRecorder<String> recorder = new StepRecorder<>();

  @Test
  void aStepComesBeforeItsParts() {
    recorder.timed(
        "add",
        () -> "bridge",
        () -> {
          recorder.add("link", () -> "veth", 1, 2);
          return recorder.timed("ipam", () -> "host-local", () -> 5);
        });
    assertThat(recorder.steps())
        .extracting(step -> step.depth() + " " + step.kind() + " " + step.detail().get())
        .containsExactly("0 add bridge", "1 link veth", "1 ipam host-local");
  }

  @Test
  void whatEndsInAnExceptionHasFailedAndIsStillRecorded() {
    assertThatThrownBy(
            () ->
                recorder.timed(
                    "add",
                    () -> "bridge",
                    () -> {
                      throw new IllegalStateException("no");
                    }))
        .hasMessage("no");
    recorder.add("after", () -> "", 1, 2);
    assertThat(recorder.steps())
        .extracting(step -> step.kind() + " " + step.depth() + " " + step.failed())
        .containsExactly("add 0 true", "after 0 false");
  }

  @Test
  void longWorkIsRecordedInPart() {
    for (int i = 0; i < 10_000; i++) {
      recorder.add("link", () -> "veth", 1, 2);
    }
    assertThat(recorder.steps()).hasSize(512);
  }
}
