package io.ocicat.cni.exec;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The position of an execution in a distributed trace, in the format of W3C Trace Context and
 * Baggage. It travels in the environment (OpenTelemetry's convention for processes), so plugins
 * that do not know it still pass it on to those they start.
 *
 * @param traceId 32 hexadecimal digits in lower case, not all 0
 * @param spanId 16 hexadecimal digits in lower case, not all 0
 * @param flags bit 0 says that the trace is recorded
 * @param tracestate what vendors keep, or empty
 * @param baggage what applications keep, or empty
 */
public record TraceContext(
    String traceId, String spanId, int flags, String tracestate, String baggage) {
  public static final String TRACEPARENT = "TRACEPARENT";
  public static final String TRACESTATE = "TRACESTATE";
  public static final String BAGGAGE = "BAGGAGE";

  private static final int SAMPLED = 1;

  /** The specification's own limits for what must be passed on. */
  private static final int MAX_TRACESTATE = 512;

  private static final int MAX_BAGGAGE = 8192;

  /** Versions after 00 may append further parts; ff is forbidden for good. */
  private static final Pattern FORMAT =
      Pattern.compile(
          "(?!ff)([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.{0,256})?");

  private static final Pattern TRACE_ID = Pattern.compile("(?!0{32})[0-9a-f]{32}");
  private static final Pattern SPAN_ID = Pattern.compile("(?!0{16})[0-9a-f]{16}");
  private static final Pattern PRINTABLE = Pattern.compile("[\\x20-\\x7e]*");

  public TraceContext {
    if (!TRACE_ID.matcher(traceId).matches() || !SPAN_ID.matcher(spanId).matches()) {
      throw new IllegalArgumentException(
          "not the ids of a span: trace \"%s\", span \"%s\"".formatted(traceId, spanId));
    }
    if (flags < 0 || flags > 0xff) {
      throw new IllegalArgumentException("trace flags must be one byte, not " + flags);
    }
    tracestate = isUsable(tracestate, MAX_TRACESTATE) ? tracestate : "";
    baggage = isUsable(baggage, MAX_BAGGAGE) ? baggage : "";
  }

  private static boolean isUsable(String text, int max) {
    return text.length() <= max && PRINTABLE.matcher(text).matches();
  }

  /** Reads a traceparent; by its specification, an invalid one counts as absent. */
  public static Optional<TraceContext> parse(
      String traceparent, String tracestate, String baggage) {
    Matcher parts = FORMAT.matcher(traceparent);
    if (!parts.matches()
        || (parts.group(1).equals("00") && parts.group(5) != null)
        || !TRACE_ID.matcher(parts.group(2)).matches()
        || !SPAN_ID.matcher(parts.group(3)).matches()) {
      return Optional.empty();
    }
    int flags = Integer.parseInt(parts.group(4), 16);
    return Optional.of(
        new TraceContext(parts.group(2), parts.group(3), flags, tracestate, baggage));
  }

  /** The context that a process inherited from its parent. */
  public static Optional<TraceContext> from(Map<String, String> environment) {
    return parse(
        environment.getOrDefault(TRACEPARENT, ""),
        environment.getOrDefault(TRACESTATE, ""),
        environment.getOrDefault(BAGGAGE, ""));
  }

  public boolean isSampled() {
    return (flags & SAMPLED) != 0;
  }

  public String traceparent() {
    return "00-%s-%s-%02x".formatted(traceId, spanId, flags);
  }

  /** The same trace, seen from one of our spans. */
  public TraceContext withSpan(String newSpanId) {
    return new TraceContext(traceId, newSpanId, flags, tracestate, baggage);
  }

  /** The environment with this context in place of an existing one. */
  public Map<String, String> over(Map<String, String> inherited) {
    Map<String, String> environment = new HashMap<>(inherited);
    environment.put(TRACEPARENT, traceparent());
    putOrRemove(environment, TRACESTATE, tracestate);
    putOrRemove(environment, BAGGAGE, baggage);
    return Map.copyOf(environment);
  }

  private static void putOrRemove(Map<String, String> environment, String name, String value) {
    if (value.isEmpty()) {
      environment.remove(name);
    } else {
      environment.put(name, value);
    }
  }
}
