package io.ocicat.cli.terminal;

import java.io.PrintWriter;
import java.util.function.LongSupplier;

/**
 * Prints the progress of a long operation to standard error: nothing within the first second, then
 * a line a second. Not thread-safe.
 */
public final class Progress {
  private static final long SECOND = 1_000_000_000L;

  private final PrintWriter err;
  private final String work;
  private final int total;
  private final LongSupplier nanos;
  private long next;
  private int done;

  /**
   * @param work the operation, such as "copying resources"
   * @param total how many steps there are; 0 when unknown
   */
  public Progress(PrintWriter err, String work, int total) {
    this(err, work, total, System::nanoTime);
  }

  public Progress(PrintWriter err, String work, int total, LongSupplier nanos) {
    this.err = err;
    this.work = work;
    this.total = total;
    this.nanos = nanos;
    next = nanos.getAsLong() + SECOND;
  }

  /** One more is done. */
  public void step() {
    done++;
    long now = nanos.getAsLong();
    if (now - next >= 0) {
      next = now + SECOND;
      err.println("%s: %d%s".formatted(work, done, total > 0 ? " of " + total : ""));
      err.flush();
    }
  }
}
