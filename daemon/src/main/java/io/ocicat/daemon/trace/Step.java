package io.ocicat.daemon.trace;

/**
 * A part of a call that took time.
 *
 * @param phase the kind of work, out of a small fixed set; a label of metrics
 * @param detail what exactly, for people
 * @param depth 0 for the parts of the call, 1 for the parts of those, …
 */
public record Step(Phase phase, String detail, int depth, long startNanos, long endNanos) {
  public long nanos() {
    return endNanos - startNanos;
  }
}
