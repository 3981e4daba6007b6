package io.ocicat.cli.demo;

import io.ocicat.cli.terminal.Wrapping;
import io.ocicat.daemon.trace.CallTrace;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;

/**
 * Draws the steps by which one pod got its network. Ids are abbreviated; everything else is shown
 * in full, on as many lines as it takes.
 */
record AddDrawing(DemoNarrator narrator) {
  private static final int BAR = 12;
  private static final int BEFORE_TEXT = 7 + 2 + BAR + 2;
  private static final Pattern LONG_ID =
      Pattern.compile(
          "\\b([0-9a-f]{8})[0-9a-f]{24,}|(?<![0-9a-f])([0-9a-f]{8})(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}");

  /** The directory of a plugin's executable, which is the same for all of them. */
  private static final Pattern DIRECTORY = Pattern.compile("^/\\S*/(?=\\S+ [A-Z]+)");

  /**
   * @param steps as {@code ocicat pod run --trace --json} prints them
   * @param allocation what IPAM did for the pod's address, shown below its step
   */
  void print(JsonNode steps, List<String> allocation) {
    // Where the delegated plugin calls IPAM itself, that is not a step of its own.
    String allocator = steps.findValuesAsString("step").contains("ipam") ? "ipam" : "delegate";
    double whole = Math.max(1, steps.path(0).path("nanos").asLong());
    narrator.show(narrator.paint("2", "%7s  %-12s  %s".formatted("µs", "when", "step")));
    for (JsonNode step : steps) {
      long start = step.path("start").asLong();
      long nanos = step.path("nanos").asLong();
      int begin = Math.clamp((long) (start / whole * BAR), 0, BAR - 1);
      int cells = Math.clamp(Math.round(nanos / whole * BAR), 0, BAR - begin);
      String bar = cells == 0 ? "▏" : "█".repeat(cells);
      String label = step.path("step").asString();
      String detail = step.path("detail").asString();
      String indent = "  ".repeat(step.path("depth").asInt());
      List<String> text = lines(indent, label + ": ", detail);
      narrator.show(
          "%s  %s  %s"
              .formatted(
                  micros(nanos),
                  " ".repeat(begin)
                      + narrator.paint(colour(label), bar)
                      + " ".repeat(BAR - begin - Math.max(1, cells)),
                  text.getFirst()));
      text.stream().skip(1).forEach(this::below);
      if (label.equals(allocator) && detail.endsWith(" ADD")) {
        allocation.forEach(line -> lines(indent + "  ", "", line).forEach(this::below));
      }
    }
  }

  private void below(String text) {
    narrator.show(" ".repeat(BEFORE_TEXT) + text);
  }

  /** The requests of one send to the kernel, one per line. */
  private List<String> lines(String indent, String label, String detail) {
    int room = Math.max(16, narrator.room() - BEFORE_TEXT - indent.length() - 4);
    List<String> lines = new ArrayList<>();
    for (String part : detail.split(Pattern.quote(CallTrace.SEPARATOR) + "|\n", -1)) {
      boolean first = lines.isEmpty();
      String text = (first ? label : "") + abbreviated(part);
      List<String> wrapped = Wrapping.wrap(text, room);
      lines.add(indent + (first ? "" : "  ") + wrapped.getFirst());
      wrapped.stream().skip(1).forEach(line -> lines.add(indent + "    " + line));
    }
    return lines;
  }

  static String abbreviated(String text) {
    return LONG_ID
        .matcher(DIRECTORY.matcher(text).replaceFirst(""))
        .replaceAll(id -> (id.group(1) == null ? id.group(2) : id.group(1)) + "…");
  }

  private static String micros(long nanos) {
    return String.format(Locale.ROOT, "%7d", nanos / 1000);
  }

  private static String colour(String label) {
    return switch (label) {
      case "link", "address", "route", "kernel", "netns", "sysctl", "loopback" -> "32";
      case "datastore", "journal", "record", "checkpoint", "cluster" -> "33";
      case "ipam", "delegate", "plugin", "network" -> "34";
      case "nftables", "nf_tables" -> "35";
      default -> "36";
    };
  }
}
