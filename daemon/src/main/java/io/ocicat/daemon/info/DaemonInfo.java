package io.ocicat.daemon.info;

import io.ocicat.base.json.Json;
import io.ocicat.daemon.Daemon;
import io.ocicat.daemon.Daemon.Stage;
import io.ocicat.daemon.metrics.BuildInfo;
import io.ocicat.daemon.metrics.Gauges;
import io.ocicat.daemon.metrics.Metrics;
import io.ocicat.daemon.metrics.ProcessNumbers;
import io.ocicat.daemon.server.CallServer.UnderWay;
import io.ocicat.daemon.state.AttachmentKey;
import io.ocicat.daemon.state.CallRecord;
import io.ocicat.daemon.state.DaemonState;
import io.ocicat.daemon.state.RecordFolder.Kept;
import io.ocicat.daemon.trace.CallHistory;
import io.ocicat.daemon.trace.FinishedCall;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Collects everything that a running daemon reports about itself: status, calls, attachments and
 * metrics. Thread-safe.
 */
public final class DaemonInfo {
  /** Limits the largest reply to some megabytes. */
  private static final int MOST_STEPS = 20_000;

  private final Daemon daemon;
  private final DaemonState state;
  private final CallHistory history;
  private final Metrics metrics;
  private final BuildInfo build;
  private final Clock clock;
  private final Instant started;
  private final Map<String, AttachmentKey> recorded = new ConcurrentHashMap<>();

  public DaemonInfo(
      Daemon daemon,
      DaemonState state,
      CallHistory history,
      Metrics metrics,
      BuildInfo build,
      Clock clock) {
    this.daemon = daemon;
    this.state = state;
    this.history = history;
    this.metrics = metrics;
    this.build = build;
    this.clock = clock;
    this.started = clock.instant();
  }

  InfoReply answer(InfoRequest question) {
    return switch (question.path()) {
      case "/" -> InfoReply.text("/metrics\n/status\n/calls\n/attachments\n");
      case "/metrics" -> InfoReply.metrics(metrics());
      case "/status" -> InfoReply.json(status());
      case "/calls" -> InfoReply.json(calls(CallSelection.of(question)));
      case "/attachments" -> InfoReply.json(attachments(question.option("about").orElse("")));
      default ->
          throw new InfoReply.Refused(404, "only /metrics, /status, /calls and /attachments exist");
    };
  }

  /** For Prometheus; names no container. */
  String metrics() {
    return metrics.text(gauges(), ProcessNumbers.now());
  }

  private Gauges gauges() {
    List<UnderWay> underWay = daemon.server().underWay();
    return new Gauges(
        underWay.size(),
        daemon.server().waiting(),
        underWay.isEmpty() ? 0 : underWay.getFirst().nanos(),
        attachments(),
        state.journal().names().size(),
        state.spool().names().size(),
        daemon.lateAdds(),
        daemon.stage() == Stage.SERVING,
        uptime().toNanos());
  }

  /**
   * The number of attachments, each counted once with all plugins of its chain. The attachment of a
   * record never changes, so a scrape reads only new records.
   */
  private int attachments() {
    Set<String> names = Set.copyOf(state.attachments().names());
    recorded.keySet().retainAll(names);
    for (String name : names) {
      if (!recorded.containsKey(name)) {
        state
            .attachments()
            .read(name)
            .flatMap(CallRecord::key)
            .ifPresent(key -> recorded.put(name, key));
      }
    }
    return Set.copyOf(recorded.values()).size();
  }

  private Duration uptime() {
    return Duration.between(started, clock.instant());
  }

  private ObjectNode status() {
    Gauges gauges = gauges();
    ProcessNumbers process = ProcessNumbers.now();
    ObjectNode json = Json.object();
    json.put("version", build.version());
    json.put("commit", build.commit());
    json.put("jdk", Runtime.version().toString());
    json.put("pid", ProcessHandle.current().pid());
    json.put("started", started.toString());
    json.put("uptimeSeconds", uptime().toSeconds());
    json.put("stage", daemon.stage().name().toLowerCase(Locale.ROOT));
    ArrayNode broken = json.putArray("broken");
    daemon.broken().forEach(broken::add);
    json.put("inFlight", gauges.inFlight());
    json.put("waiting", gauges.waiting());
    json.put("attachments", gauges.attachments());
    json.put("journal", gauges.journal());
    json.put("spool", gauges.spool());
    json.put("residentBytes", process.residentBytes());
    json.put("heapBytes", process.heapBytes());
    json.put("threads", process.threads());
    json.put("failuresKept", history.failures());
    underWay(json);
    return json;
  }

  private void underWay(ObjectNode json) {
    ArrayNode calls = json.putArray("underWay");
    for (UnderWay call : daemon.server().underWay()) {
      ObjectNode entry = calls.addObject();
      entry.put("about", call.about());
      entry.put("plugin", call.plugin());
      entry.put("verb", call.verb());
      entry.put("container", call.containerId());
      entry.put("nanos", call.nanos());
    }
  }

  private ObjectNode calls(CallSelection selection) {
    List<FinishedCall> chosen = selection.of(history.newestFirst());
    int from = selection.slowest() ? 0 : firstOfNewest(chosen);
    ObjectNode json = Json.object();
    ArrayNode calls = json.putArray("calls");
    int steps = 0;
    for (FinishedCall call : chosen.subList(from, chosen.size())) {
      steps += call.steps().size();
      if (steps > MOST_STEPS) {
        break;
      }
      calls.add(CallJson.write(call));
    }
    json.put("leftOut", chosen.size() - calls.size());
    underWay(json);
    return json;
  }

  /** The index from which on there are not too many steps to report. */
  private static int firstOfNewest(List<FinishedCall> calls) {
    int steps = 0;
    int first = calls.size();
    while (first > 0 && steps + calls.get(first - 1).steps().size() <= MOST_STEPS) {
      first--;
      steps += calls.get(first).steps().size();
    }
    return first;
  }

  private ObjectNode attachments(String about) {
    ObjectNode json = Json.object();
    ArrayNode attachments = json.putArray("attachments");
    for (Kept kept : state.attachments().list()) {
      AttachmentInfo attached = AttachmentInfo.of(kept.record(), state.boot());
      if (CallSelection.isAbout(about, attached.containerId(), attached.pod())) {
        attachments.add(attached.toJson());
      }
    }
    return json;
  }
}
