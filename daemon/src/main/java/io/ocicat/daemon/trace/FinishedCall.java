package io.ocicat.daemon.trace;

import java.time.Instant;
import java.util.List;

/**
 * A call that is over.
 *
 * @param verb as CNI_COMMAND had it
 * @param network the network's name; empty when the request could not be read
 * @param pod namespace/name from the runtime; empty when it did not pass it
 * @param exitCode 0 on success
 * @param code the CNI error's; 0 on success
 * @param message the CNI error's; empty on success
 * @param cause {@link Cause#NONE} on success
 * @param traceId of the trace that the caller named; empty when it named none
 * @param nanos from the start of the caller until it had its reply
 * @param steps empty until somebody wants to see them: composing their texts costs more than the
 *     rest of it
 */
public record FinishedCall(
    long number,
    Instant time,
    String plugin,
    String verb,
    String network,
    String containerId,
    String ifName,
    String pod,
    int exitCode,
    int code,
    String message,
    Cause cause,
    String traceId,
    long startNanos,
    long nanos,
    List<Step> steps) {

  public boolean failed() {
    return exitCode != 0;
  }

  /** About how much memory it takes without its steps. */
  public long bytes() {
    return 512L + message.length() + network.length() + containerId.length() + pod.length();
  }

  /** The same with its steps. */
  public FinishedCall with(CallTrace trace) {
    return new FinishedCall(
        number,
        time,
        plugin,
        verb,
        network,
        containerId,
        ifName,
        pod,
        exitCode,
        code,
        message,
        cause,
        traceId,
        startNanos,
        nanos,
        trace.steps());
  }
}
