package io.ocicat.daemon.otlp;

import io.ocicat.base.json.Json;
import io.ocicat.cni.exec.TraceContext;
import io.ocicat.daemon.metrics.BuildInfo;
import io.ocicat.daemon.trace.FinishedCall;
import io.ocicat.daemon.trace.Step;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HexFormat;
import java.util.Optional;
import java.util.random.RandomGenerator;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Converts calls to OpenTelemetry spans: one for the call, below the caller's own if known, and one
 * for each step.
 */
final class SpanJson {
  private static final int INTERNAL = 1;
  private static final int SERVER = 2;
  private static final int OK = 1;
  private static final int ERROR = 2;

  private final ObjectNode document = Json.object();
  private final ArrayNode spans;
  private final RandomGenerator random;

  SpanJson(BuildInfo build, RandomGenerator random) {
    this.random = random;
    ObjectNode resourceSpans = document.putArray("resourceSpans").addObject();
    ArrayNode resource = resourceSpans.putObject("resource").putArray("attributes");
    attribute(resource, "service.name", "ocicatd");
    attribute(resource, "service.version", build.version());
    ObjectNode scopeSpans = resourceSpans.putArray("scopeSpans").addObject();
    scopeSpans.putObject("scope").put("name", "io.ocicat.daemon").put("version", build.version());
    this.spans = scopeSpans.putArray("spans");
  }

  /**
   * Adds a call.
   *
   * @param context the trace that the caller said the call belongs to; without it the call is its
   *     own trace
   */
  void add(FinishedCall call, Optional<TraceContext> context) {
    String trace = context.map(TraceContext::traceId).orElseGet(() -> id(16));
    String span = id(8);
    long end = ChronoUnit.NANOS.between(Instant.EPOCH, call.time());
    long start = end - call.nanos();
    String name = call.plugin() + " " + call.verb();
    ObjectNode root =
        span(trace, span, context.map(TraceContext::spanId).orElse(""), name, SERVER, start, end);
    ArrayNode attributes = root.putArray("attributes");
    attribute(attributes, "cni.plugin", call.plugin());
    attribute(attributes, "cni.verb", call.verb());
    attribute(attributes, "cni.network", call.network());
    attribute(attributes, "cni.container_id", call.containerId());
    attribute(attributes, "cni.ifname", call.ifName());
    attribute(attributes, "k8s.pod", call.pod());
    ObjectNode status = root.putObject("status").put("code", call.failed() ? ERROR : OK);
    if (call.failed()) {
      attribute(attributes, "cni.cause", call.cause().label());
      status.put("message", call.message());
    }
    steps(call, trace, span, start);
  }

  private void steps(FinishedCall call, String trace, String root, long start) {
    Deque<String> parents = new ArrayDeque<>();
    for (Step step : call.steps()) {
      while (parents.size() > step.depth()) {
        parents.pop();
      }
      String parent = parents.isEmpty() ? root : parents.peek();
      String id = id(8);
      long begin = start + step.startNanos() - call.startNanos();
      ObjectNode span =
          span(trace, id, parent, step.phase().label(), INTERNAL, begin, begin + step.nanos());
      attribute(span.putArray("attributes"), "detail", step.detail());
      parents.push(id);
    }
  }

  private ObjectNode span(
      String trace, String id, String parent, String name, int kind, long start, long end) {
    ObjectNode span = spans.addObject().put("traceId", trace).put("spanId", id);
    if (!parent.isEmpty()) {
      span.put("parentSpanId", parent);
    }
    span.put("name", name).put("kind", kind);
    // 64-bit integers are strings in protobuf's JSON.
    span.put("startTimeUnixNano", Long.toString(start));
    return span.put("endTimeUnixNano", Long.toString(end));
  }

  private String id(int bytes) {
    byte[] id = new byte[bytes];
    random.nextBytes(id);
    id[0] |= 1; // never all zeros, which means none
    return HexFormat.of().formatHex(id);
  }

  private static void attribute(ArrayNode attributes, String key, String value) {
    if (!value.isEmpty()) {
      attributes.addObject().put("key", key).putObject("value").put("stringValue", value);
    }
  }

  byte[] bytes() {
    return Json.compactBytes(document);
  }
}
