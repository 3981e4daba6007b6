package io.ocicat.cli.inspect;

import io.ocicat.daemon.trace.CallTrace;
import io.ocicat.daemon.trace.FinishedCall;
import io.ocicat.daemon.trace.Step;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;

/**
 * Draws a call: a line for each step, with a bar where it lies in the time of the whole, and a line
 * for everything else that went to the kernel in the same send.
 *
 * @param colours whether they are understood where this goes to
 */
public record Waterfall(boolean colours) {
  private static final int WIDTH = 40;
  private static final String BLOCK = "█";
  private static final String SLIVER = "▏";
  private static final int DEEPEST = 6;
  private static final int PHASE_WIDTH = 10 + DEEPEST;

  private static final String RED = "31";
  private static final String GREEN = "32";
  private static final String BOLD = "1";
  private static final String DIM = "2";

  /**
   * A step to draw.
   *
   * @param label what kind of work it is
   * @param colour of its bar, as terminals number them
   * @param detail what exactly; the parts of one send are separated
   * @param startNanos since the beginning of the whole
   */
  public record Line(
      String label, String colour, String detail, int depth, long startNanos, long nanos) {}

  void print(FinishedCall call, PrintWriter out) {
    out.println(headline(call));
    List<Line> lines = call.steps().stream().map(step -> line(step, call.startNanos())).toList();
    print(lines, call.nanos(), out);
    if (call.failed()) {
      out.println(paint(RED, "  failed: %s (code %d)".formatted(call.message(), call.code())));
      out.println("  cause: %s; %s".formatted(call.cause().label(), call.cause().advice()));
    }
  }

  /** A step of the daemon's as it is drawn. */
  public static Line line(Step step, long origin) {
    return new Line(
        step.phase().label(),
        colour(step),
        step.detail(),
        step.depth(),
        step.startNanos() - origin,
        step.nanos());
  }

  /** Draws the steps of something that took that long. */
  public void print(List<Line> lines, long nanos, PrintWriter out) {
    for (Line line : lines) {
      List<String> parts = List.of(line.detail().split(CallTrace.SEPARATOR, -1));
      int depth = Math.min(line.depth(), DEEPEST);
      String phase = " ".repeat(depth) + line.label();
      out.println(
          "  %9s  %9s  %s %s %s"
              .formatted(
                  paint(DIM, "%9s".formatted(millis(line.startNanos()))),
                  millis(line.nanos()),
                  phase + " ".repeat(Math.max(0, PHASE_WIDTH - phase.length())),
                  paint(line.colour(), bar(line, nanos)),
                  parts.getFirst())
              .stripTrailing());
      for (String part : parts.subList(1, parts.size())) {
        out.println(" ".repeat(2 + 9 + 2 + 9 + 2 + PHASE_WIDTH + 1 + WIDTH + 1) + part);
      }
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
  private static String bar(Line line, long nanos) {
    double cells = (double) WIDTH / Math.max(1, nanos);
    int start = Math.clamp((long) (line.startNanos() * cells), 0, WIDTH - 1);
    int length = Math.clamp(Math.round(line.nanos() * cells), 0, WIDTH - start);
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
