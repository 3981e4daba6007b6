package io.ocicat.daemon.info;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.base.json.Json;
import io.ocicat.cni.CniJson;
import io.ocicat.daemon.trace.CallHistory;
import io.ocicat.daemon.trace.Cause;
import io.ocicat.daemon.trace.FinishedCall;
import io.ocicat.daemon.trace.Phase;
import io.ocicat.daemon.trace.Step;
import java.time.Instant;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

class CallJsonTest {
  private static FinishedCall call(String container, int exitCode, long nanos) {
    return new FinishedCall(
        7,
        Instant.parse("2026-11-15T08:00:00Z"),
        "bridge",
        "ADD",
        "blue",
        container,
        "eth0",
        "shop/web-0",
        exitCode,
        11,
        "no IP addresses available",
        Cause.POOL_EMPTY,
        "4bf92f3577b34da6a3ce929d0e0e4736",
        0,
        nanos,
        List.of(new Step(Phase.IPAM, "host-local ADD", 1, 10, 20)));
  }

  @Test
  void whatIsWrittenIsRead() {
    FinishedCall call = call("c1", 1, 1000);

    assertThat(CallJson.read(CniJson.parse(Json.compact(CallJson.write(call))))).isEqualTo(call);
  }

  @Test
  void whatIsMissingOrUnknownDoesNoHarm() {
    FinishedCall call = CallJson.read(CniJson.parse("{\"steps\":[{\"phase\":\"quantum\"}]}"));

    assertThat(call.containerId()).isEmpty();
    assertThat(call.steps().getFirst().phase()).isEqualTo(Phase.KERNEL);
  }

  @Test
  void callsAreChosenByContainerPodOutcomeAndTime() {
    List<FinishedCall> all = List.of(call("aa1", 0, 5), call("ab2", 1, 9), call("ab3", 0, 7));

    CallHistory history = new CallHistory();
    all.forEach(call -> history.add(call.failed(), 1, () -> call));
    List<Supplier<FinishedCall>> kept = history.newestFirst();
    assertThat(new CallSelection("ab", false, false, false, 9).of(kept))
        .containsExactly(all.get(1), all.get(2));
    assertThat(new CallSelection("web-0", true, false, false, 9).of(kept))
        .containsExactly(all.get(1));
    assertThat(new CallSelection("", false, false, true, 2).of(kept))
        .containsExactly(all.get(1), all.get(2));
    assertThat(new CallSelection("", false, false, false, 1).of(kept)).containsExactly(all.get(2));
    assertThat(new CallSelection("web", false, false, false, 9).of(kept)).isEmpty();
  }

  @Test
  void failuresAreKeptLongerThanSuccesses() {
    CallHistory history = new CallHistory();
    FinishedCall failure = call("old", 1, 5);
    history.add(true, 1, () -> failure);
    for (int i = 0; i < 300; i++) {
      FinishedCall good = call("c" + i, 0, 5);
      history.add(false, 1, () -> good);
    }

    assertThat(history.newestFirst()).hasSize(257);
    assertThat(new CallSelection("", true, false, false, 9).of(history.newestFirst()))
        .containsExactly(failure);
    assertThat(history.failures()).isEqualTo(1);
  }

  /** Review R5: 256 calls of half a megabyte each are more than the daemon's memory. */
  @Test
  void whatTakesMuchMemoryIsRememberedForAShorterTime() {
    CallHistory history = new CallHistory();
    FinishedCall failure = call("failed", 1, 5);
    history.add(true, 1 << 20, () -> failure);
    for (int i = 0; i < 100; i++) {
      FinishedCall good = call("c" + i, 0, 5);
      history.add(false, 512 << 10, () -> good);
    }
    assertThat(history.newestFirst()).hasSize(12 + 1);

    FinishedCall larger = call("larger", 1, 5);
    history.add(true, 100 << 20, () -> larger);
    assertThat(history.newestFirst()).extracting(Supplier::get).containsExactly(larger);
  }
}
