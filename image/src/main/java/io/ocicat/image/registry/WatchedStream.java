package io.ocicat.image.registry;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A response's body that may not stand still: if fewer than some bytes come within a time, it ends
 * with an error. A connection can stay open for hours without a byte, or with one byte a minute.
 */
final class WatchedStream extends FilterInputStream {
  private static final long LEAST = 16 << 10;

  private final Duration limit;
  private final Thread watch;
  private final AtomicLong received = new AtomicLong();
  private volatile boolean stalled;
  private volatile boolean ended;

  WatchedStream(InputStream in, Duration limit) {
    super(in);
    this.limit = limit;
    this.watch = Thread.ofVirtual().name("watch-download").start(this::watch);
  }

  private void watch() {
    long seen = 0;
    long deadline = System.nanoTime() + limit.toNanos();
    while (!ended) {
      long left = deadline - System.nanoTime();
      if (left > 0) {
        LockSupport.parkNanos(this, left);
        continue;
      }
      if (received.get() - seen < LEAST) {
        stalled = true;
        closeQuietly();
        return;
      }
      seen = received.get();
      deadline = System.nanoTime() + limit.toNanos();
    }
  }

  private void closeQuietly() {
    try {
      in.close();
    } catch (IOException _) {
      // The reader reports that nothing came.
    }
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : Byte.toUnsignedInt(one[0]);
  }

  @Override
  public int read(byte[] buffer, int from, int length) throws IOException {
    int count;
    try {
      count = in.read(buffer, from, length);
    } catch (IOException e) {
      throw stalled ? stalled(e) : e;
    }
    if (stalled) {
      throw stalled(null);
    }
    if (count > 0) {
      received.addAndGet(count);
    }
    return count;
  }

  private TransientException stalled(@Nullable IOException cause) {
    String message = "less than %d KiB came within %d ms".formatted(LEAST >> 10, limit.toMillis());
    return cause == null ? new TransientException(message) : new TransientException(message, cause);
  }

  @Override
  public void close() throws IOException {
    ended = true;
    LockSupport.unpark(watch);
    in.close();
  }
}
