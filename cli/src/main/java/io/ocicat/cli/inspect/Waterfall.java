package io.ocicat.cli.inspect;

import io.ocicat.cli.check.ShortIds;
import io.ocicat.daemon.trace.CallTrace;
import io.ocicat.daemon.trace.FinishedCall;
import io.ocicat.daemon.trace.Step;
import java.io.PrintWriter;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * Draws a call as a waterfall: a line for each step, with a bar where it lies in the time of the
 * whole, and a line for every other request to the kernel in the same send. Longer lines are
 * wrapped and indented.
 *
 * @param colours whether the output supports them
 * @param columns how long a line may be
 */
public record Waterfall(boolean colours, int columns) {
  /** The bar of a terminal of 80 columns; wider ones give it a tenth of theirs. */
  private static final int NARROWEST = 8;

  private static final int WIDEST = 20;
  private static final String BLOCK = "█";
  private static final String SLIVER = "▏";
  private static final int DEEPEST = 3;
  private static final int PHASE_WIDTH = 9 + DEEPEST;
  private static final int TIME_WIDTH = 8;
  private static final int LEAST_TEXT = 20;

  private static final String RED = "31";
  private static final String GREEN = "32";
  private static final String BOLD = "1";
  private static final String DIM = "2";
  private static final Pattern PAINT = Pattern.compile("\u001b\\[[0-9;]*m");

  /**
   * A step to draw.
   *
   * @param label the kind of work
   * @param colour of its bar, as terminals number them
   * @param detail what exactly; the parts of one send are separated
   * @param startNanos since the beginning of the whole
   */
  public record Line(
      String label, String colour, String detail, int depth, long startNanos, long nanos) {
    Line telling(String other) {
      return new Line(label, colour, other, depth, startNanos, nanos);
    }
  }

  void print(FinishedCall call, ShortIds ids, PrintWriter out) {
    wrap(ids.in(headline(call)), columns)
        .forEach(part -> out.println(part.startsWith("#") ? part : "  " + part));
    List<Line> lines =
        call.steps().stream()
            .map(step -> line(step, call.startNanos()))
            .map(line -> line.telling(ids.in(line.detail())))
            .toList();
    print(lines, call.nanos(), out);
    if (call.failed()) {
      String failure = "failed: %s (code %d)".formatted(plain(call.message()), call.code());
      wrap(ids.in(failure), columns - 2).forEach(part -> out.println("  " + paint(RED, part)));
      String cause = "cause: %s; %s".formatted(call.cause().label(), call.cause().advice());
      wrap(cause, columns - 2).forEach(part -> out.println("  " + part));
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
    int bar = Math.clamp(columns / 10, NARROWEST, WIDEST);
    int before = 2 * (TIME_WIDTH + 1) + PHASE_WIDTH + 1 + bar + 1;
    for (Line line : lines) {
      int depth = Math.min(line.depth(), DEEPEST);
      String phase = " ".repeat(depth) + line.label();
      String head =
          "%s %s %s %s "
              .formatted(
                  paint(DIM, "%8s".formatted(millis(line.startNanos()))),
                  "%8s".formatted(millis(line.nanos())),
                  phase + " ".repeat(Math.max(0, PHASE_WIDTH - phase.length())),
                  paint(line.colour(), bar(line, nanos, bar)));
      for (String part : line.detail().split(CallTrace.SEPARATOR, -1)) {
        for (String row : wrap(plain(part), Math.max(LEAST_TEXT, columns - before))) {
          out.println((head + row).stripTrailing());
          head = " ".repeat(before);
        }
      }
    }
  }

  /** Breaks a text at its blanks; a word that is too long has a line of its own. */
  private static List<String> wrap(String text, int width) {
    List<String> rows = new ArrayList<>();
    StringBuilder row = new StringBuilder();
    for (String word : text.split(" ", -1)) {
      if (!row.isEmpty() && visible(row) + 1 + visible(word) > width) {
        rows.add(row.toString());
        row.setLength(0);
      }
      row.append(row.isEmpty() ? "" : " ").append(word);
    }
    rows.add(row.toString());
    return rows;
  }

  /** The visible length: colours take no columns. */
  private static int visible(CharSequence text) {
    return PAINT.matcher(text).replaceAll("").length();
  }

  private String headline(FinishedCall call) {
    StringBuilder line = new StringBuilder();
    line.append("#%d ".formatted(call.number()));
    line.append(paint(BOLD, plain("%s %s".formatted(call.plugin(), call.verb()))));
    line.append(plain(" %s %s".formatted(call.containerId(), call.ifName())).stripTrailing());
    if (!call.network().isEmpty()) {
      line.append(", network ").append(plain(call.network()));
    }
    if (!call.pod().isEmpty()) {
      line.append(", pod ").append(plain(call.pod()));
    }
    line.append(": ").append(millis(call.nanos())).append(" ms, ");
    line.append(call.failed() ? paint(RED, "failed") : paint(GREEN, "ok"));
    line.append(", ").append(call.time().truncatedTo(ChronoUnit.MILLIS));
    if (!call.traceId().isEmpty()) {
      line.append(", trace ").append(plain(call.traceId()));
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

  /** All bars are equally wide, so that what follows is aligned. */
  private static String bar(Line line, long nanos, int width) {
    double cells = (double) width / Math.max(1, nanos);
    int start = Math.clamp((long) (line.startNanos() * cells), 0, width - 1);
    int length = Math.clamp(Math.round(line.nanos() * cells), 0, width - start);
    String body = length == 0 ? SLIVER : BLOCK.repeat(length);
    return " ".repeat(start) + body + " ".repeat(width - start - Math.max(1, length));
  }

  private static String millis(long nanos) {
    return String.format(Locale.ROOT, "%.3f", nanos / 1e6);
  }

  /**
   * Removes control characters: text of callers and external plugins must not control the terminal.
   */
  private static String plain(String text) {
    if (text.chars().noneMatch(Character::isISOControl)) {
      return text;
    }
    StringBuilder plain = new StringBuilder();
    text.chars()
        .forEach(
            c -> {
              if (Character.isISOControl(c)) {
                plain.append("\\x%02x".formatted(c));
              } else {
                plain.append((char) c);
              }
            });
    return plain.toString();
  }

  private String paint(String colour, String text) {
    return colours ? "\u001b[" + colour + "m" + text + "\u001b[0m" : text;
  }
}
