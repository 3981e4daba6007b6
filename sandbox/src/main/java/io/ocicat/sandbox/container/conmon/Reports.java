package io.ocicat.sandbox.container.conmon;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Reads the one line that conmon reports, with a time limit. */
final class Reports {
  private static final int LONGEST = 1 << 20;

  private Reports() {}

  /** Returns an empty line when there is none. */
  static byte[] read(Process process, Duration limit) throws IOException, InterruptedException {
    CompletableFuture<byte[]> line = new CompletableFuture<>();
    Thread.ofVirtual().start(() -> read(process.getInputStream(), line));
    try {
      return limit.isZero() ? line.get() : line.get(limit.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      throw new IOException("no report after %d s".formatted(limit.toSeconds()), e);
    } catch (ExecutionException e) {
      throw new IOException(e);
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
