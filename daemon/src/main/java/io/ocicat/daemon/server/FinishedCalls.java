package io.ocicat.daemon.server;

import io.ocicat.cni.CniException;
import io.ocicat.cni.exec.CniEnvironment;
import io.ocicat.cni.exec.PluginReply;
import io.ocicat.cni.exec.TraceContext;
import io.ocicat.daemon.call.PluginCall;
import io.ocicat.daemon.state.PodName;
import io.ocicat.daemon.trace.CallTrace;
import io.ocicat.daemon.trace.Cause;
import io.ocicat.daemon.trace.FinishedCall;
import java.time.Clock;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/** Numbers calls that are over, and describes them for log, metrics and history. Thread-safe. */
final class FinishedCalls {
  private final AtomicLong numbers = new AtomicLong();
  private final Clock clock;

  FinishedCalls(Clock clock) {
    this.clock = clock;
  }

  /**
   * @param callerStartNanos when the shim was started, by {@link System#nanoTime}
   */
  FinishedCall describe(
      PluginCall call, PluginReply reply, CallTrace trace, long callerStartNanos, long endNanos) {
    Optional<CniException> error = reply.failure();
    int code = error.map(it -> it.code().value()).orElse(0);
    String message = error.map(it -> String.valueOf(it.getMessage())).orElse("");
    return new FinishedCall(
        numbers.incrementAndGet(),
        clock.instant(),
        call.name(),
        call.variable(CniEnvironment.COMMAND),
        call.network(),
        call.variable(CniEnvironment.CONTAINER_ID),
        call.variable(CniEnvironment.IFNAME),
        PodName.of(call.environment()),
        reply.exitCode(),
        code,
        message,
        error.map(Cause::of).orElse(Cause.NONE),
        trace.parent().map(TraceContext::traceId).orElse(""),
        callerStartNanos,
        endNanos - callerStartNanos,
        List.of());
  }
}
