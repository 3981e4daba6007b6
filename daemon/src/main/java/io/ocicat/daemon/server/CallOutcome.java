package io.ocicat.daemon.server;

import io.ocicat.cni.CniException;
import io.ocicat.cni.CniJson;
import io.ocicat.cni.PluginConfig;
import io.ocicat.cni.exec.CniEnvironment;
import io.ocicat.cni.exec.PluginReply;
import io.ocicat.cni.exec.TraceContext;
import io.ocicat.daemon.state.PodName;
import io.ocicat.daemon.trace.CallTrace;
import io.ocicat.daemon.trace.Cause;
import io.ocicat.daemon.trace.FinishedCall;
import java.time.Instant;
import java.util.Map;

/**
 * A finished call and its reply, before anything is parsed for display.
 *
 * @param callerStartNanos when the shim was started, by {@link System#nanoTime}
 */
@SuppressWarnings("ArrayRecordComponent") // nobody compares outcomes
public record CallOutcome(
    long number,
    Instant time,
    String plugin,
    Map<String, String> environment,
    byte[] stdin,
    PluginReply reply,
    long callerStartNanos,
    long endNanos) {

  public String verb() {
    return environment.getOrDefault(CniEnvironment.COMMAND, "");
  }

  public boolean failed() {
    return reply.exitCode() != 0;
  }

  /** About how much memory it takes. */
  public long bytes() {
    long variables =
        environment.entrySet().stream()
            .mapToLong(variable -> variable.getKey().length() + variable.getValue().length() + 64L)
            .sum();
    return variables + stdin.length + reply.stdout().length + reply.stderr().length();
  }

  public FinishedCall describe(CallTrace trace) {
    int code = 0;
    String message = "";
    if (failed()) {
      try {
        CniException error = CniException.fromJson(CniJson.parse(reply.stdout()));
        code = error.code().value();
        message = error.details().isEmpty() ? error.msg() : error.msg() + "; " + error.details();
      } catch (CniException e) {
        message = "the reply is not an error object: " + e.msg();
      }
    }
    return new FinishedCall(
        number,
        time,
        plugin,
        verb(),
        network(),
        environment.getOrDefault(CniEnvironment.CONTAINER_ID, ""),
        environment.getOrDefault(CniEnvironment.IFNAME, ""),
        PodName.of(environment),
        reply.exitCode(),
        code,
        message,
        failed() ? Cause.of(code, message, reply.reason()) : Cause.NONE,
        traceId(),
        callerStartNanos,
        endNanos - callerStartNanos,
        trace.steps());
  }

  /** Of the trace that the caller named; empty when it named none. */
  public String traceId() {
    return TraceContext.from(environment).map(TraceContext::traceId).orElse("");
  }

  /** The network's name; empty when the request could not be read. */
  public String network() {
    try {
      return stdin.length == 0 ? "" : PluginConfig.ofRequest(stdin).name();
    } catch (CniException _) {
      return "";
    }
  }
}
