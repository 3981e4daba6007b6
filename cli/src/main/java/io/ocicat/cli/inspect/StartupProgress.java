package io.ocicat.cli.inspect;

import io.ocicat.base.json.Json;
import io.ocicat.cli.doctor.KernelProbe;
import io.ocicat.cli.options.NodeContext;
import io.ocicat.daemon.info.InfoClient;
import io.ocicat.daemon.info.InfoException;
import io.ocicat.daemon.state.DaemonState;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Shows how far a daemon has come from starting to ready, step by step.
 *
 * @param daemon its own status; empty when it does not reply
 * @param attachments from the files
 */
record StartupProgress(
    ObjectNode daemon, List<Step> steps, int attachments, int journal, int spool) {

  /**
   * One step.
   *
   * @param reason why it is not reached, or what it means that it is
   */
  record Step(String name, boolean reached, String reason) {}

  static StartupProgress of(NodeContext context) {
    DaemonState state = context.state();
    int journal = state.journal().names().size();
    int spool = state.spool().names().size();
    ObjectNode daemon = Json.object();
    List<Step> steps = new ArrayList<>();
    try {
      if (new InfoClient(context.folders().infoSocket()).askJson("/status")
          instanceof ObjectNode told) {
        daemon = told;
      }
      steps.add(new Step("running", true, "at " + context.folders().socket()));
    } catch (InfoException e) {
      String meanwhile = "; calls are made one by one without it: start `ocicat daemon`";
      steps.add(new Step("running", false, e.getMessage() + (e.isDown() ? meanwhile : "")));
    }
    String stage = daemon.path("stage").asString("");
    steps.add(recovered(stage, journal));
    steps.add(drained(spool));
    steps.add(serving(stage, daemon));
    for (JsonNode broken : daemon.path("broken")) {
      steps.add(new Step("sound", false, broken.asString("")));
    }
    steps.add(kernel());
    return new StartupProgress(daemon, steps, attachments(state), journal, spool);
  }

  /** A chain of several plugins leaves a record for each, but is one attachment. */
  private static int attachments(DaemonState state) {
    return (int)
        state.attachments().list().stream().map(kept -> kept.record().key()).distinct().count();
  }

  private static Step recovered(String stage, int journal) {
    return switch (stage) {
      case "" ->
          new Step(
              "recovered",
              journal == 0,
              journal == 0
                  ? "no call was killed in the middle"
                  : "%d calls under way, or killed in the middle".formatted(journal));
      case "listening", "recovering" ->
          new Step("recovered", false, "%d killed calls to undo".formatted(journal));
      default -> new Step("recovered", true, "what killed calls had begun is undone");
    };
  }

  private static Step drained(int spool) {
    return new Step(
        "drained",
        spool == 0,
        spool == 0
            ? "no DEL waits to be finished"
            : "%d DELs could not be finished and are tried again every second: the log says why"
                .formatted(spool));
  }

  private static Step serving(String stage, JsonNode daemon) {
    return switch (stage) {
      case "" -> new Step("serving", false, "there is no daemon");
      case "serving" ->
          new Step(
              "serving",
              true,
              "%d calls under way, %d wait for their turn"
                  .formatted(daemon.path("inFlight").asInt(0), daemon.path("waiting").asInt(0)));
      case "stopping" -> new Step("serving", false, "it was told to stop and ends its calls");
      default -> new Step("serving", false, "not before it has recovered");
    };
  }

  private static Step kernel() {
    List<KernelProbe.Missing> missing =
        KernelProbe.run().stream().filter(one -> one.feature().needed()).toList();
    return new Step(
        "kernel",
        missing.isEmpty(),
        missing.isEmpty()
            ? "it can do what the usual plugins need"
            : "it lacks "
                + missing.stream()
                    .map(one -> one.feature().name())
                    .collect(Collectors.joining(", "))
                + ": see `ocicat doctor`");
  }

  boolean isReady() {
    return steps.stream().allMatch(Step::reached);
  }

  private boolean isRunning() {
    return !daemon.isEmpty();
  }

  void print(PrintWriter out) {
    if (isRunning()) {
      out.println(
          "ocicatd %s (commit %s) runs as process %d since %s (%s), %d MiB resident"
              .formatted(
                  daemon.path("version").asString("?"),
                  daemon.path("commit").asString("?"),
                  daemon.path("pid").asLong(0),
                  daemon.path("started").asString("?"),
                  brief(Duration.ofSeconds(daemon.path("uptimeSeconds").asLong(0))),
                  daemon.path("residentBytes").asLong(0) >> 20));
    } else {
      out.println("ocicatd is not running");
    }
    for (Step step : steps) {
      out.println(
          "  %-3s  %-9s  %s".formatted(step.reached() ? "ok" : "NO", step.name(), step.reason()));
    }
    out.println(
        "%d attachments, %d calls in the journal, %d DELs in the spool"
            .formatted(attachments, journal, spool));
  }

  ObjectNode toJson() {
    ObjectNode json = Json.object();
    json.put("ready", isReady());
    json.put("running", isRunning());
    ArrayNode ladder = json.putArray("ladder");
    for (Step step : steps) {
      ladder
          .addObject()
          .put("rung", step.name())
          .put("reached", step.reached())
          .put("reason", step.reason());
    }
    json.put("attachments", attachments);
    json.put("journal", journal);
    json.put("spool", spool);
    json.set("daemon", daemon);
    return json;
  }

  private static String brief(Duration time) {
    long days = time.toDays();
    return (days > 0 ? days + " d " : "")
        + "%02d:%02d:%02d"
            .formatted(time.toHoursPart(), time.toMinutesPart(), time.toSecondsPart());
  }
}
