package io.ocicat.cni.exec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TraceContextTest {
  private static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
  private static final String SPAN = "00f067aa0ba902b7";
  private static final String PARENT = "00-" + TRACE + "-" + SPAN + "-01";

  @Test
  void aValidSpanIsReadAndWrittenAgain() {
    TraceContext trace = TraceContext.parse(PARENT, "a=1,b=2", "user=42").orElseThrow();
    assertThat(trace).isEqualTo(new TraceContext(TRACE, SPAN, 1, "a=1,b=2", "user=42"));
    assertThat(trace.isSampled()).isTrue();
    assertThat(trace.traceparent()).isEqualTo(PARENT);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "00",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-extra",
        "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
        "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
        "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e473-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01\n",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0g",
      })
  void anInvalidSpanIsNone(String traceparent) {
    assertThat(TraceContext.parse(traceparent, "a=1", "user=42")).isEmpty();
  }

  @Test
  void aFutureVersionMayHaveMoreParts() {
    TraceContext trace =
        TraceContext.parse("7a-" + TRACE + "-" + SPAN + "-00-more", "", "").orElseThrow();
    assertThat(trace.traceparent()).isEqualTo("00-" + TRACE + "-" + SPAN + "-00");
    assertThat(trace.isSampled()).isFalse();
  }

  @Test
  void stateAndBaggageThatCannotBePassedOnAreDropped() {
    TraceContext trace = TraceContext.parse(PARENT, "a=1\nEVIL=1", "x".repeat(9000)).orElseThrow();
    assertThat(trace.tracestate()).isEmpty();
    assertThat(trace.baggage()).isEmpty();
  }

  @Test
  void comesFromTheEnvironmentOfTheProcess() {
    assertThat(TraceContext.from(Map.of("TRACEPARENT", PARENT, "BAGGAGE", "k=v")))
        .contains(new TraceContext(TRACE, SPAN, 1, "", "k=v"));
    assertThat(TraceContext.from(Map.of("BAGGAGE", "k=v", "TRACESTATE", "a=1"))).isEmpty();
  }

  @Test
  void replacesAnInheritedContextWhole() {
    Map<String, String> inherited =
        Map.of("HOME", "/", "TRACEPARENT", "x", "TRACESTATE", "old=1", "BAGGAGE", "old=1");
    assertThat(new TraceContext(TRACE, SPAN, 1, "", "k=v").over(inherited))
        .isEqualTo(Map.of("HOME", "/", "TRACEPARENT", PARENT, "BAGGAGE", "k=v"));
    assertThat(new TraceContext(TRACE, SPAN, 1, "a=1", "").over(Map.of()))
        .isEqualTo(Map.of("TRACEPARENT", PARENT, "TRACESTATE", "a=1"));
  }

  @Test
  void aSpanOfOurOwnStaysInTheTrace() {
    TraceContext own =
        TraceContext.parse(PARENT, "a=1", "k=v").orElseThrow().withSpan("1234567890abcdef");
    assertThat(own).isEqualTo(new TraceContext(TRACE, "1234567890abcdef", 1, "a=1", "k=v"));
    assertThatThrownBy(() -> own.withSpan("short"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("\"short\"");
    assertThatThrownBy(() -> new TraceContext(TRACE, SPAN, 256, "", ""))
        .hasMessage("trace flags must be one byte, not 256");
  }
}
