package io.ocicat.cli.connectivity;

import io.ocicat.base.json.Json;
import io.ocicat.cli.terminal.TextTable;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import tools.jackson.databind.node.ArrayNode;

/** Results for people and for programs: who reaches whom. */
public record ConnectivityMatrix(List<PairResult> pairs) {
  public ConnectivityMatrix {
    pairs = List.copyOf(pairs);
  }

  private static final Comparator<String> PODS_NODES_OTHERS =
      Comparator.comparingInt(ConnectivityMatrix::rank).thenComparing(Comparator.naturalOrder());

  private static int rank(String end) {
    return end.contains("/") ? 0 : end.contains(":") ? 2 : end.equals("outside") ? 3 : 1;
  }

  /** What names two ends. */
  private record Ends(String from, String to) {}

  public boolean isComplete() {
    return pairs.stream().allMatch(PairResult::ok);
  }

  public ArrayNode toJson() {
    ArrayNode json = Json.array();
    pairs.forEach(pair -> json.add(pair.toJson()));
    return json;
  }

  /**
   * For a pair of which this end's node sees no cause, what the other end's node sees, which has
   * probed the same pair the other way round.
   */
  public ConnectivityMatrix explainedByBothEnds() {
    Map<Ends, PairResult> byEnds = new HashMap<>();
    pairs.forEach(pair -> byEnds.put(new Ends(pair.from(), pair.to()), pair));
    List<PairResult> explained = new ArrayList<>();
    for (PairResult pair : pairs) {
      PairResult back = byEnds.get(new Ends(pair.to(), pair.from()));
      boolean helps =
          !pair.ok() && pair.cause().isEmpty() && back != null && !back.cause().isEmpty();
      explained.add(helps && back != null ? pair.because(back.reason(), back.cause()) : pair);
    }
    return new ConnectivityMatrix(explained);
  }

  public void print(PrintWriter out) {
    SortedSet<String> sources = new TreeSet<>(PODS_NODES_OTHERS);
    SortedSet<String> targets = new TreeSet<>(PODS_NODES_OTHERS);
    Map<Ends, PairResult> byEnds = new HashMap<>();
    for (PairResult pair : pairs) {
      sources.add(pair.from());
      targets.add(pair.to());
      byEnds.put(new Ends(pair.from(), pair.to()), pair);
    }
    List<String> headings = new ArrayList<>(List.of("FROM \\ TO"));
    headings.addAll(targets);
    TextTable table = new TextTable(headings.toArray(String[]::new));
    for (String source : sources) {
      List<String> cells = new ArrayList<>(List.of(source));
      for (String target : targets) {
        PairResult pair = byEnds.get(new Ends(source, target));
        cells.add(pair == null ? "·" : cell(pair));
      }
      table.row(cells.toArray(String[]::new));
    }
    table.printTo(out);
    List<PairResult> failed = pairs.stream().filter(pair -> !pair.ok()).toList();
    out.println();
    if (failed.isEmpty()) {
      out.println(
          "%d pairs, all of them connected (round trip in ms, largest packet in bytes)"
              .formatted(pairs.size()));
      return;
    }
    out.println("%d of %d pairs fail:".formatted(failed.size(), pairs.size()));
    // One cause often concerns many.
    Map<String, List<String>> byReason = new LinkedHashMap<>();
    failed.forEach(
        pair ->
            byReason
                .computeIfAbsent(pair.reason(), _ -> new ArrayList<>())
                .add("%s → %s".formatted(pair.from(), pair.to())));
    byReason.forEach(
        (reason, whose) -> {
          out.println("  " + reason);
          out.println("    " + String.join(", ", whose));
        });
  }

  private static String cell(PairResult pair) {
    if (pair.ok()) {
      String millis = String.format(Locale.ROOT, "%.2f", pair.latencyMicros() / 1e3);
      return pair.mtu() > 0 ? millis + "/" + pair.mtu() : "ok";
    }
    return pair.cause().isEmpty() ? "FAILS" : "FAILS:" + pair.cause();
  }
}
