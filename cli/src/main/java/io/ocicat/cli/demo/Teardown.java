package io.ocicat.cli.demo;

import io.ocicat.base.json.Json;
import io.ocicat.cni.CniJson;
import java.util.List;
import tools.jackson.databind.node.ObjectNode;

/** Removes the pods, compares the node with what it was before them, and stops the daemon. */
final class Teardown {
  private Teardown() {}

  /** Returns what is left of the pods, a line each. */
  static List<String> run(DemoNode demoNode, int chapter, DemoNarrator narrator, ObjectNode facts) {
    narrator.chapter(chapter, "Removing it all");
    NodeSnapshot before =
        NodeSnapshot.read(CniJson.parse(demoNode.run("cat", DemoNode.FOLDER + "/before.json")));
    narrator.command("ocicat pod rm --all");
    demoNode.ocicat("pod", "rm", "--all");
    NodeSnapshot after = NodeSnapshot.read(CniJson.parse(demoNode.ocicat("demo", "--look")));
    List<String> left = after.newSince(before);
    for (String where :
        List.of("links", "addresses and routes", "nf_tables", "leases", "records", "files")) {
      narrator.show(
          "%-22s before: %d, now: %d".formatted(where, before.count(where), after.count(where)));
    }
    left.forEach(line -> narrator.show(narrator.paint("31", "left: ") + line));
    if (left.isEmpty()) {
      narrator.fine("nothing is left of the pods");
      if (after.count(NodeSnapshot.KEPT) > 0) {
        narrator.dim(
            "(The plugins' empty nf_tables tables, the node's address block and a bridge, if there"
                + " is one, stay in place for the next pod.)");
      }
    }
    facts.set("left", Json.array(left));
    demoNode.run("sh", "-c", STOP_DAEMON, "sh", DemoNode.FOLDER);
    return left;
  }

  private static final String STOP_DAEMON =
      """
      pid=$(cat "$1/daemon.pid")
      kill "$pid" 2>/dev/null
      for _ in $(seq 400); do
        kill -0 "$pid" 2>/dev/null || exit 0
        sleep 0.05
      done
      echo "the daemon (process $pid) does not end" >&2
      exit 1
      """;
}
