package io.ocicat.daemon.metrics;

import io.ocicat.cni.exec.Verb;
import io.ocicat.daemon.server.DaemonEvents;
import io.ocicat.daemon.server.DeclineReason;
import io.ocicat.daemon.server.RepairKind;
import io.ocicat.daemon.trace.CallTrace;
import io.ocicat.daemon.trace.Cause;
import io.ocicat.daemon.trace.FinishedCall;
import io.ocicat.daemon.trace.Phase;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

/**
 * Counts calls, failures and repairs for Prometheus. A successful call costs about a microsecond,
 * after its reply is sent, and no text is composed before a scrape. Thread-safe.
 */
public final class Metrics implements DaemonEvents {
  private static final String REQUESTS = "ocicat_cni_request_duration_seconds";
  private static final String PHASES = "ocicat_cni_phase_duration_seconds";
  private static final String OTHER = "OTHER";

  private record Other(String name, String help, LongSupplier count) {}

  private record Kind(String plugin, String verb, boolean failed) {}

  private record Failure(String plugin, String verb, Cause cause) {}

  private final Map<Kind, Histogram> requests = new ConcurrentHashMap<>();
  private final Map<Failure, LongAdder> failures = new ConcurrentHashMap<>();
  private final Map<String, Map<Phase, Histogram>> phases = new TreeMap<>();
  private final Map<DeclineReason, LongAdder> refusals = new EnumMap<>(DeclineReason.class);
  private final Map<RepairKind, LongAdder> repairs = new EnumMap<>(RepairKind.class);
  private final LongAdder stuck = new LongAdder();
  private final List<Other> others = new CopyOnWriteArrayList<>();
  private final BuildInfo build;

  public Metrics(BuildInfo build) {
    this.build = build;
    // All keys exist from the start, so that these maps never change.
    Stream.concat(Stream.of(Verb.values()).map(Verb::name), Stream.of(OTHER))
        .forEach(verb -> phases.put(verb, histograms()));
    List.of(DeclineReason.values()).forEach(kind -> refusals.put(kind, new LongAdder()));
    List.of(RepairKind.values()).forEach(kind -> repairs.put(kind, new LongAdder()));
  }

  private static Map<Phase, Histogram> histograms() {
    Map<Phase, Histogram> histograms = new EnumMap<>(Phase.class);
    List.of(Phase.values()).forEach(phase -> histograms.put(phase, new Histogram()));
    return histograms;
  }

  /** Adds a counter that is kept elsewhere. */
  public void addCounter(String name, String help, LongSupplier count) {
    others.add(new Other(name, help, count));
  }

  @Override
  public void finished(FinishedCall call, CallTrace trace) {
    String verb = Verb.find(call.verb()).map(Verb::name).orElse(OTHER);
    Kind kind = new Kind(call.plugin(), verb, call.failed());
    requests.computeIfAbsent(kind, _ -> new Histogram()).record(call.nanos());
    Map<Phase, Histogram> histograms = phases.getOrDefault(verb, Map.of());
    for (Map.Entry<Phase, PhaseTimes> spent : PhaseTimes.of(trace).entrySet()) {
      Histogram histogram = histograms.get(spent.getKey());
      if (histogram != null) {
        histogram.record(spent.getValue().nanos());
      }
    }
    if (call.failed()) {
      failures
          .computeIfAbsent(
              new Failure(kind.plugin(), kind.verb(), call.cause()), _ -> new LongAdder())
          .increment();
    }
  }

  @Override
  public void declined(DeclineReason kind, String why) {
    count(refusals, kind);
  }

  private static <K> void count(Map<K, LongAdder> counts, K kind) {
    LongAdder count = counts.get(kind);
    if (count != null) {
      count.increment();
    }
  }

  @Override
  public void stuck(String about, long nanos, StackTraceElement[] where) {
    stuck.increment();
  }

  @Override
  public void repaired(RepairKind kind) {
    count(repairs, kind);
  }

  @Override
  public void note(String sentence) {
    // Notes are for the log.
  }

  /** All metrics in Prometheus' text format. */
  public String text(Gauges gauges, ProcessNumbers process) {
    Exposition out = new Exposition();
    calls(out);
    counters(out, gauges);
    gauges(out, gauges);
    others.forEach(
        other -> out.single(other.name(), "counter", other.help(), other.count().getAsLong()));
    process.writeTo(out);
    return out.toString();
  }

  private void calls(Exposition out) {
    out.metric(REQUESTS, "histogram", "Time from the start of the caller until its answer.");
    List<Map.Entry<Kind, Histogram>> sorted =
        requests.entrySet().stream()
            .sorted(Comparator.comparing(entry -> entry.getKey().toString()))
            .toList();
    for (Map.Entry<Kind, Histogram> entry : sorted) {
      Kind kind = entry.getKey();
      entry
          .getValue()
          .writeTo(
              out,
              REQUESTS,
              "plugin",
              kind.plugin(),
              "verb",
              kind.verb(),
              "outcome",
              kind.failed() ? "failed" : "ok");
    }
    out.metric(PHASES, "histogram", "Time that a call spent on one kind of work.");
    phases.forEach(
        (verb, histograms) ->
            histograms.forEach(
                (phase, histogram) -> {
                  if (!histogram.isEmpty()) {
                    histogram.writeTo(out, PHASES, "verb", verb, "phase", phase.label());
                  }
                }));
    out.metric("ocicat_cni_failures_total", "counter", "Calls that failed, by cause.");
    failures.entrySet().stream()
        .sorted(Comparator.comparing(entry -> entry.getKey().toString()))
        .forEach(
            entry ->
                out.sample(
                    "ocicat_cni_failures_total",
                    entry.getValue().sum(),
                    "plugin",
                    entry.getKey().plugin(),
                    "verb",
                    entry.getKey().verb(),
                    "cause",
                    entry.getKey().cause().label()));
  }

  private void counters(Exposition out, Gauges gauges) {
    out.metric(
        "ocicat_declined_total",
        "counter",
        "Callers that were declined and make the call themselves.");
    refusals.forEach(
        (kind, count) -> out.sample("ocicat_declined_total", count.sum(), "reason", kind.label()));
    out.metric("ocicat_repairs_total", "counter", "Repairs that the daemon made by itself.");
    repairs.forEach(
        (kind, count) -> out.sample("ocicat_repairs_total", count.sum(), "kind", kind.label()));
    out.single(
        "ocicat_stuck_calls_total", "counter", "Calls that took suspiciously long.", stuck.sum());
    out.single(
        "ocicat_tombstone_hits_total",
        "counter",
        "ADDs refused because their DEL had come before.",
        gauges.lateAdds());
  }

  private void gauges(Exposition out, Gauges gauges) {
    String gauge = "gauge";
    out.single("ocicat_ready", gauge, "Whether calls are served.", gauges.ready() ? 1 : 0);
    out.single("ocicat_calls_in_flight", gauge, "Calls not answered yet.", gauges.inFlight());
    out.single("ocicat_calls_waiting", gauge, "Calls that wait for a turn.", gauges.waiting());
    out.metric("ocicat_oldest_call_seconds", gauge, "Age of the oldest call not answered yet.");
    out.seconds("ocicat_oldest_call_seconds", gauges.oldestNanos());
    out.single("ocicat_attachments", gauge, "Attachments that exist.", gauges.attachments());
    out.single("ocicat_journal_records", gauge, "Calls begun and not ended.", gauges.journal());
    out.single("ocicat_spool_depth", gauge, "DELs still to be finished.", gauges.spool());
    out.metric("ocicat_uptime_seconds", gauge, "Since the start.");
    out.seconds("ocicat_uptime_seconds", gauges.uptimeNanos());
    out.metric("ocicat_build_info", gauge, "Always 1; what runs is in the labels.");
    out.sample(
        "ocicat_build_info",
        1,
        "version",
        build.version(),
        "commit",
        build.commit(),
        "jdk",
        Runtime.version().toString());
  }
}
