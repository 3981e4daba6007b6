package io.ocicat.sandbox.container.conmon;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;

/** Reads the one line that conmon reports, with a time limit. */
final class Reports {
  private static final int LONGEST = 1 << 20;
  private static final long LOOK_MILLIS = 100;

  private Reports() {}

  /**
   * Returns an empty line when there is none.
   *
   * @param limit zero for none
   * @param isGone whether the monitor has ended: what it started may have inherited the pipe, and
   *     keep it open
   */
  static byte[] read(Process process, Duration limit, BooleanSupplier isGone)
      throws IOException, InterruptedException {
    CompletableFuture<byte[]> line = new CompletableFuture<>();
    Thread.ofVirtual().start(() -> read(process.getInputStream(), line));
    long start = System.nanoTime();
    boolean gone = false;
    while (true) {
      try {
        return line.get(LOOK_MILLIS, TimeUnit.MILLISECONDS);
      } catch (TimeoutException e) {
        // It may have reported in its last moment.
        if (gone) {
          return new byte[0];
        }
        gone = isGone.getAsBoolean();
        if (!limit.isZero() && System.nanoTime() - start > limit.toNanos()) {
          throw new IOException("no report after %d s".formatted(limit.toSeconds()), e);
        }
      } catch (ExecutionException e) {
        throw new IOException(e);
      }
    }
  }

  private static void read(InputStream in, CompletableFuture<byte[]> line) {
    ByteArrayOutputStream read = new ByteArrayOutputStream();
    try {
      for (int c = in.read(); c >= 0 && c != '\n' && read.size() < LONGEST; c = in.read()) {
        read.write(c);
      }
      line.complete(read.toByteArray());
    } catch (IOException e) {
      line.completeExceptionally(e);
    }
  }
}
