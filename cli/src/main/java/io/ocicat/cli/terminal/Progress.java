package io.ocicat.cli.terminal;

import java.io.PrintWriter;
import java.util.function.LongSupplier;

/**
 * Says how far a long piece of work is: nothing within the first second, then a line a second, on
 * standard error. Not for several threads.
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
   * @param work what is being done, such as "copying resources"
   * @param total how many steps there are; 0 when nobody knows
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
