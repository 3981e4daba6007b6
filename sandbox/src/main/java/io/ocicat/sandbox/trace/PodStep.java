package io.ocicat.sandbox.trace;

/**
 * A step of an operation.
 *
 * @param detail for people
 * @param depth 0 for the operation, 1 for its parts, …
 * @param startNanos by {@link System#nanoTime}
 * @param failed whether it ended in an exception
 */
public record PodStep(
    StepKind kind, String detail, int depth, long startNanos, long endNanos, boolean failed) {
  public long nanos() {
    return endNanos - startNanos;
  }
}
