package io.ocicat.cli.inspect;

import io.ocicat.daemon.trace.CallTrace;
import io.ocicat.daemon.trace.FinishedCall;
import io.ocicat.daemon.trace.Step;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;

/**
 * Draws a call: a line for each step, with a bar where it lies in the time of the call, and a line
 * for everything else that went to the kernel in the same send.
 *
 * @param colours whether they are understood where this goes to
 */
record Waterfall(boolean colours) {
  private static final int WIDTH = 40;
  private static final String BLOCK = "█";
  private static final String SLIVER = "▏";
  private static final int DEEPEST = 6;
  private static final int PHASE_WIDTH = 10 + DEEPEST;

  private static final String RED = "31";
  private static final String GREEN = "32";
  private static final String BOLD = "1";
  private static final String DIM = "2";

  void print(FinishedCall call, PrintWriter out) {
    out.println(headline(call));
    for (Step step : call.steps()) {
      List<String> parts = List.of(step.detail().split(CallTrace.SEPARATOR, -1));
      int depth = Math.min(step.depth(), DEEPEST);
      String phase = " ".repeat(depth) + step.phase().label();
      out.println(
          "  %9s  %9s  %s %s %s"
              .formatted(
                  paint(DIM, "%9s".formatted(millis(step.startNanos() - call.startNanos()))),
                  millis(step.nanos()),
                  phase + " ".repeat(Math.max(0, PHASE_WIDTH - phase.length())),
                  paint(colour(step), bar(call, step)),
                  parts.getFirst())
              .stripTrailing());
      for (String part : parts.subList(1, parts.size())) {
        out.println(" ".repeat(2 + 9 + 2 + 9 + 2 + PHASE_WIDTH + 1 + WIDTH + 1) + part);
      }
    }
    if (call.failed()) {
      out.println(paint(RED, "  failed: %s (code %d)".formatted(call.message(), call.code())));
      out.println("  cause: %s; %s".formatted(call.cause().label(), call.cause().advice()));
    }
  }

  private String headline(FinishedCall call) {
    StringBuilder line = new StringBuilder();
    line.append("#%d ".formatted(call.number()));
    line.append(paint(BOLD, "%s %s".formatted(call.plugin(), call.verb())));
    line.append(" %s %s".formatted(call.containerId(), call.ifName()).stripTrailing());
    if (!call.network().isEmpty()) {
      line.append(", network ").append(call.network());
    }
    if (!call.pod().isEmpty()) {
      line.append(", pod ").append(call.pod());
    }
    line.append(": ").append(millis(call.nanos())).append(" ms, ");
    line.append(call.failed() ? paint(RED, "failed") : paint(GREEN, "ok"));
    line.append(", ").append(call.time());
    if (!call.traceId().isEmpty()) {
      line.append(", trace ").append(call.traceId());
    }
    return line.toString();
  }

  private static String colour(Step step) {
    return switch (step.phase()) {
      case ARRIVE, REPLY -> DIM;
      case QUEUE -> RED;
      case JOURNAL, DATASTORE -> "33";
      case IPAM, DELEGATE, PLUGIN -> "34";
      case LINK, ADDRESS, ROUTE, KERNEL -> GREEN;
      case NFTABLES -> "35";
    };
  }

  /** As wide as all are, so that what follows is aligned. */
  private static String bar(FinishedCall call, Step step) {
    double cells = (double) WIDTH / Math.max(1, call.nanos());
    long offset = step.startNanos() - call.startNanos();
    int start = Math.clamp((long) (offset * cells), 0, WIDTH - 1);
    int length = Math.clamp(Math.round(step.nanos() * cells), 0, WIDTH - start);
    String body = length == 0 ? SLIVER : BLOCK.repeat(length);
    return " ".repeat(start) + body + " ".repeat(WIDTH - start - Math.max(1, length));
  }

  private static String millis(long nanos) {
    return String.format(Locale.ROOT, "%.3f", nanos / 1e6);
  }

  private String paint(String colour, String text) {
    return colours ? "\u001b[" + colour + "m" + text + "\u001b[0m" : text;
  }
}
