package io.ocicat.daemon.info;

import io.ocicat.base.json.Json;
import io.ocicat.daemon.trace.Cause;
import io.ocicat.daemon.trace.FinishedCall;
import io.ocicat.daemon.trace.Phase;
import io.ocicat.daemon.trace.Step;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Converts finished calls to and from JSON. Times of steps are nanoseconds since the start of their
 * call.
 */
public final class CallJson {
  private CallJson() {}

  public static ObjectNode write(FinishedCall call) {
    ObjectNode json = Json.object();
    json.put("number", call.number());
    json.put("time", call.time().toString());
    json.put("plugin", call.plugin());
    json.put("verb", call.verb());
    json.put("network", call.network());
    json.put("container", call.containerId());
    json.put("ifname", call.ifName());
    json.put("pod", call.pod());
    json.put("exitCode", call.exitCode());
    json.put("code", call.code());
    json.put("message", call.message());
    json.put("cause", call.cause().label());
    json.put("traceId", call.traceId());
    json.put("nanos", call.nanos());
    ArrayNode steps = json.putArray("steps");
    for (Step step : call.steps()) {
      ObjectNode entry = steps.addObject();
      entry.put("phase", step.phase().label());
      entry.put("detail", step.detail());
      entry.put("depth", step.depth());
      entry.put("start", step.startNanos() - call.startNanos());
      entry.put("nanos", step.nanos());
    }
    return json;
  }

  /** Reads what {@link #write} wrote, possibly in another version; its times start at 0. */
  public static FinishedCall read(JsonNode json) {
    List<Step> steps = new ArrayList<>();
    for (JsonNode step : json.path("steps")) {
      long start = step.path("start").asLong(0);
      steps.add(
          new Step(
              phase(text(step, "phase")),
              text(step, "detail"),
              step.path("depth").asInt(0),
              start,
              start + step.path("nanos").asLong(0)));
    }
    return new FinishedCall(
        json.path("number").asLong(0),
        Instant.parse(json.path("time").asString(Instant.EPOCH.toString())),
        text(json, "plugin"),
        text(json, "verb"),
        text(json, "network"),
        text(json, "container"),
        text(json, "ifname"),
        text(json, "pod"),
        json.path("exitCode").asInt(0),
        json.path("code").asInt(0),
        text(json, "message"),
        Cause.labelled(text(json, "cause")),
        text(json, "traceId"),
        0,
        json.path("nanos").asLong(0),
        steps);
  }

  private static String text(JsonNode json, String name) {
    return json.path(name).asString("");
  }

  private static Phase phase(String label) {
    try {
      return Phase.valueOf(label.toUpperCase(Locale.ROOT));
    } catch (IllegalArgumentException _) {
      return Phase.KERNEL;
    }
  }
}
