package io.ocicat.cli.demo;

import java.util.Locale;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;

/**
 * Draws the steps of one pod's way to its network, narrow enough for a plain terminal.
 *
 * @param width of the terminal in characters
 */
record AddDrawing(Tale tale, int width) {
  private static final int BAR = 18;
  private static final Pattern LONG_ID = Pattern.compile("\\b([0-9a-f]{8})[0-9a-f]{24,}");

  /**
   * @param steps as {@code ocicat pod run --trace --json} prints them
   */
  void print(JsonNode steps) {
    double whole = Math.max(1, steps.path(0).path("nanos").asLong());
    tale.dim("%7s %7s  %s  %s".formatted("at µs", "took µs", " ".repeat(BAR), "step"));
    for (JsonNode step : steps) {
      long start = step.path("start").asLong();
      long nanos = step.path("nanos").asLong();
      int begin = Math.clamp((long) (start / whole * BAR), 0, BAR - 1);
      int cells = Math.clamp(Math.round(nanos / whole * BAR), 0, BAR - begin);
      String bar = cells == 0 ? "▏" : "█".repeat(cells);
      String label = step.path("step").asString();
      String detail = LONG_ID.matcher(step.path("detail").asString()).replaceAll("$1…");
      String text =
          " ".repeat(2 * step.path("depth").asInt()) + label + "  " + detail.replace('\n', ' ');
      int room = Math.max(20, width - 3 - 7 - 1 - 7 - 2 - BAR - 2);
      tale.say(
          "%s %s  %s  %s"
              .formatted(
                  tale.paint("2", micros(start)),
                  micros(nanos),
                  " ".repeat(begin)
                      + tale.paint(colour(label), bar)
                      + " ".repeat(BAR - begin - Math.max(1, cells)),
                  text.length() <= room ? text : text.substring(0, room - 1) + "…"));
    }
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
