package io.ocicat.cli.pod;

import io.ocicat.base.json.Json;
import io.ocicat.cli.inspect.Waterfall;
import io.ocicat.cli.options.NodeContext;
import io.ocicat.cli.terminal.TerminalWidth;
import io.ocicat.daemon.info.CallJson;
import io.ocicat.daemon.info.InfoClient;
import io.ocicat.daemon.info.InfoException;
import io.ocicat.daemon.trace.FinishedCall;
import io.ocicat.daemon.trace.Step;
import io.ocicat.sandbox.trace.PodStep;
import io.ocicat.sandbox.trace.StepKind;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;

/** Draws what was done to a pod; the steps of plugins show what the daemon did in them. */
final class PodDrawing {
  private final NodeContext context;

  PodDrawing(NodeContext context) {
    this.context = context;
  }

  /**
   * @param id of the sandbox; empty when the daemon should not be queried
   */
  void print(List<PodStep> steps, String id, PrintWriter out) {
    List<Waterfall.Line> lines = lines(steps, id);
    new Waterfall(context.colours(), TerminalWidth.of(context))
        .print(lines, steps.getFirst().nanos(), out);
  }

  ArrayNode toJson(List<PodStep> steps, String id) {
    ArrayNode json = Json.array();
    for (Waterfall.Line line : lines(steps, id)) {
      json.addObject()
          .put("step", line.label())
          .put("detail", line.detail())
          .put("depth", line.depth())
          .put("start", line.startNanos())
          .put("nanos", line.nanos());
    }
    return json;
  }

  private List<Waterfall.Line> lines(List<PodStep> steps, String id) {
    List<FinishedCall> calls = id.isEmpty() ? List.of() : calls(id);
    List<FinishedCall> left = new ArrayList<>(calls);
    long origin = steps.getFirst().startNanos();
    List<Waterfall.Line> lines = new ArrayList<>();
    for (PodStep step : steps) {
      lines.add(
          new Waterfall.Line(
              step.kind().label(),
              colour(step),
              step.detail() + (step.failed() ? " (failed)" : ""),
              step.depth(),
              step.startNanos() - origin,
              step.nanos()));
      if (step.kind() == StepKind.PLUGIN) {
        callOf(step, left)
            .ifPresent(
                call -> {
                  left.remove(call);
                  addParts(lines, step, call, origin);
                });
      }
    }
    return lines;
  }

  /**
   * The time that starting the process took is at the beginning; it ends together with the step.
   */
  private static void addParts(
      List<Waterfall.Line> lines, PodStep plugin, FinishedCall call, long origin) {
    long start = Math.max(plugin.startNanos(), plugin.endNanos() - call.nanos()) - origin;
    for (Step step : call.steps()) {
      Waterfall.Line line = Waterfall.line(step, call.startNanos());
      lines.add(
          new Waterfall.Line(
              line.label(),
              line.colour(),
              line.detail(),
              plugin.depth() + 1 + line.depth(),
              start + line.startNanos(),
              line.nanos()));
    }
  }

  private static Optional<FinishedCall> callOf(PodStep step, List<FinishedCall> calls) {
    return calls.stream()
        .filter(call -> step.detail().contains("/%s %s".formatted(call.plugin(), call.verb())))
        .findFirst();
  }

  /** Oldest first; none without a daemon. */
  private List<FinishedCall> calls(String id) {
    if (Files.notExists(context.folders().infoSocket())) {
      return List.of();
    }
    try {
      List<FinishedCall> calls = new ArrayList<>();
      JsonNode answer =
          new InfoClient(context.folders().infoSocket()).askJson("/calls?about=" + id);
      answer.path("calls").forEach(call -> calls.addFirst(CallJson.read(call)));
      return calls;
    } catch (InfoException _) {
      return List.of();
    }
  }

  private static String colour(PodStep step) {
    if (step.failed()) {
      return "31";
    }
    return switch (step.kind()) {
      case SANDBOX, LOCK -> "2";
      case NAME, RECORD, CHECKPOINT, LOGS, RESOLV, CLUSTER -> "33";
      case INFRA, CONTAINER -> "36";
      case NETNS, SHM, SYSCTL, LOOPBACK, KERNEL -> "32";
      case NETWORK, PLUGIN -> "34";
      case ROLLBACK -> "31";
    };
  }
}
