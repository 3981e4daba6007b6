package io.ocicat.daemon;

import io.ocicat.base.json.Json;
import io.ocicat.daemon.server.DeclineReason;
import io.ocicat.daemon.trace.FinishedCall;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Clock;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Formats the log, as text or as JSON. Neither includes stdin, which may hold secrets. */
public sealed interface LogFormat {
  String call(FinishedCall call);

  String declined(DeclineReason kind, String why);

  String stuck(String about, long nanos, StackTraceElement[] where);

  String note(String sentence);

  /** How many stack frames are logged. */
  int FRAMES = 12;

  /** For people: words and key=value. The log collector adds the time. */
  record Text() implements LogFormat {
    @Override
    public String call(FinishedCall call) {
      StringBuilder line = new StringBuilder(160);
      line.append("call=").append(call.number());
      line.append(" plugin=").append(call.plugin());
      line.append(" verb=").append(call.verb());
      line.append(" container=").append(call.containerId());
      line.append(" ifname=").append(call.ifName());
      line.append(" ms=").append(millis(call.nanos()));
      if (!call.traceId().isEmpty()) {
        line.append(" trace=").append(call.traceId());
      }
      if (call.failed()) {
        line.append(" code=").append(call.code()).append(" cause=").append(call.cause().label());
        line.append(" error=").append(quoted(call.message()));
      }
      return oneLine(line.toString());
    }

    @Override
    public String declined(DeclineReason kind, String why) {
      return oneLine("declined=" + quoted(why));
    }

    @Override
    public String stuck(String about, long nanos, StackTraceElement[] where) {
      StringBuilder lines = new StringBuilder();
      lines.append(oneLine("stuck=" + quoted(about))).append(" seconds=");
      lines.append(nanos / 1_000_000_000).append(" at:");
      for (int i = 0; i < Math.min(FRAMES, where.length); i++) {
        lines.append("\n    ").append(where[i]);
      }
      return lines.toString();
    }

    @Override
    public String note(String sentence) {
      return oneLine(sentence);
    }

    private static String quoted(String text) {
      return '"' + text.replace('"', '\'') + '"';
    }

    /** Keeps callers from forging log lines. */
    private static String oneLine(String text) {
      for (int at = 0; at < text.length(); at++) {
        if (Character.isISOControl(text.charAt(at))) {
          return text.replaceAll("\\p{Cntrl}+", " ");
        }
      }
      return text;
    }
  }

  /** For machines: one JSON object a line. */
  record JsonObjects(Clock clock) implements LogFormat {
    @Override
    public String call(FinishedCall call) {
      ObjectNode line = line(call.failed() ? "error" : "info", "call");
      line.put("call", call.number());
      line.put("plugin", call.plugin());
      line.put("verb", call.verb());
      line.put("container", call.containerId());
      line.put("ifname", call.ifName());
      line.put("ms", millis(call.nanos()));
      line.put("network", call.network());
      line.put("pod", call.pod());
      if (!call.traceId().isEmpty()) {
        line.put("traceId", call.traceId());
      }
      if (call.failed()) {
        line.put("code", call.code());
        line.put("cause", call.cause().label());
        line.put("error", call.message());
      }
      return Json.compact(line);
    }

    @Override
    public String declined(DeclineReason kind, String why) {
      return Json.compact(line("warn", "declined").put("reason", kind.label()).put("why", why));
    }

    @Override
    public String stuck(String about, long nanos, StackTraceElement[] where) {
      ObjectNode line = line("error", "stuck").put("about", about);
      line.put("seconds", nanos / 1_000_000_000);
      ArrayNode frames = line.putArray("at");
      for (int i = 0; i < Math.min(FRAMES, where.length); i++) {
        frames.add(where[i].toString());
      }
      return Json.compact(line);
    }

    @Override
    public String note(String sentence) {
      return Json.compact(line("info", "note").put("message", sentence));
    }

    private ObjectNode line(String level, String event) {
      ObjectNode line = Json.object();
      line.put("time", clock.instant().toString());
      return line.put("level", level).put("event", event);
    }
  }

  private static BigDecimal millis(long nanos) {
    return BigDecimal.valueOf(nanos, 6).setScale(2, RoundingMode.HALF_UP);
  }
}
