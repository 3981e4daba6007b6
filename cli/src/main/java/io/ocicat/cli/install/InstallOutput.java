package io.ocicat.cli.install;

import io.ocicat.base.json.Json;
import java.io.PrintWriter;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Reports what is done to files: a line for each as it happens, or one JSON document at the end,
 * even when the rest fails.
 */
final class InstallOutput implements AutoCloseable {
  static final String DRY_RUN = "a dry run, nothing is changed:";

  private final PrintWriter out;
  private final boolean json;
  private final ObjectNode document = Json.object();
  private final ArrayNode files;

  InstallOutput(PrintWriter out, boolean json, boolean dryRun) {
    this.out = out;
    this.json = json;
    document.put("dryRun", dryRun);
    files = document.putArray("files");
    if (dryRun) {
      println(DRY_RUN);
    }
  }

  /**
   * @param note what else to say, as a continuation of the line; may be empty
   */
  void report(String what, String path, String note) {
    ObjectNode file = files.addObject().put("done", what).put("path", path);
    if (!note.isEmpty()) {
      file.put("note", note);
    }
    println("%-8s  %s%s".formatted(what, path, note.isEmpty() ? "" : ", " + note));
  }

  /** What is left to do before a pod can start. */
  void missing(String what) {
    document.withArray("/missing").add(what);
    println("%-8s  %s".formatted("missing", what));
  }

  void next(String command) {
    document.put("next", command);
    println("%-8s  %s".formatted("next", command));
  }

  /** For people; not in the JSON document. */
  void println(String line) {
    if (!json) {
      out.println(line);
    }
  }

  @Override
  public void close() {
    if (json) {
      out.println(Json.pretty(document));
    }
  }
}
