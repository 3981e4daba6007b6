package io.ocicat.daemon.trace;

import java.time.Instant;
import java.util.List;

/**
 * A call that is over.
 *
 * @param verb as CNI_COMMAND had it
 * @param network the network's name; empty when the request could not be read
 * @param pod namespace/name as the runtime told it; empty when it told none
 * @param exitCode 0 when it went well
 * @param code the CNI error's; 0 when it went well
 * @param message the CNI error's; empty when it went well
 * @param cause {@link Cause#NONE} when it went well
 * @param traceId of the trace that the caller said it belongs to; empty when it said none
 * @param nanos from the start of the caller until it had its answer
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
}
