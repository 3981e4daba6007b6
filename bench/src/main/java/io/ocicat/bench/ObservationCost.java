package io.ocicat.bench;

import io.ocicat.daemon.CallLog;
import io.ocicat.daemon.EventFanOut;
import io.ocicat.daemon.LogFormat;
import io.ocicat.daemon.metrics.BuildInfo;
import io.ocicat.daemon.metrics.Metrics;
import io.ocicat.daemon.server.DaemonEvents;
import io.ocicat.daemon.trace.CallHistory;
import io.ocicat.daemon.trace.CallTrace;
import io.ocicat.daemon.trace.Cause;
import io.ocicat.daemon.trace.FinishedCall;
import io.ocicat.daemon.trace.Phase;
import io.ocicat.netlink.NetlinkRequest;
import io.ocicat.netlink.link.Links;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Measures the cost of observing one call: recording its steps, keeping it, counting it and
 * composing its log line. Measured separately, because the daemon has no switch to turn it off.
 */
final class ObservationCost {
  /** As an ADD of bridge with host-local has them. */
  private static final int EXCHANGES = 6;

  private static final int OTHER_STEPS = 8;
  private static final int WARM_UP = 20_000;
  private static final int ROUNDS = 20_000;

  private ObservationCost() {}

  /** The median, in milliseconds. */
  static double millis() {
    StringBuilder line = new StringBuilder();
    CallLog log =
        new CallLog(
            text -> {
              line.setLength(0);
              line.append(text);
            },
            new LogFormat.Text(),
            new CallHistory());
    DaemonEvents events =
        new EventFanOut(List.of(log, new Metrics(new BuildInfo("bench", "none"))));
    Sample times = new Sample("observation");
    for (int i = 0; i < WARM_UP + ROUNDS; i++) {
      long from = System.nanoTime();
      watch(events, i);
      if (i >= WARM_UP) {
        times.add(System.nanoTime() - from);
      }
    }
    if (line.isEmpty()) {
      throw new IllegalStateException("nothing was logged, so nothing was measured");
    }
    return times.percentile(0.5) / 1e6;
  }

  private static void watch(DaemonEvents events, long number) {
    long start = System.nanoTime();
    CallTrace trace = new CallTrace(start, Optional.empty());
    List<NetlinkRequest> requests = List.of(Links.up(7));
    for (int i = 0; i < EXCHANGES; i++) {
      trace.exchanged(requests, System.nanoTime(), System.nanoTime());
    }
    for (int i = 0; i < OTHER_STEPS; i++) {
      trace.add(Phase.JOURNAL, () -> "intent", System.nanoTime(), System.nanoTime());
    }
    events.finished(
        new FinishedCall(
            number,
            Instant.now(),
            "bridge",
            "ADD",
            "blue",
            "0123456789abcdef",
            "eth0",
            "",
            0,
            0,
            "",
            Cause.NONE,
            "",
            start,
            System.nanoTime() - start,
            List.of()),
        trace);
  }
}
