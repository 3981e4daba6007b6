package io.ocicat.sandbox.container.conmon;

import java.io.InputStream;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * A bounded queue of bytes between the thread that receives from conmon and one that reads. A
 * reader that takes nothing for a while is given up: conmon, and with it the container, would wait
 * for it.
 */
final class BytePipe extends InputStream {
  private static final int MOST = 1 << 20;
  private static final Duration READER_LIMIT = Duration.ofSeconds(10);

  private final Deque<byte[]> pieces = new ArrayDeque<>();
  private int size;
  private int consumed;
  private boolean ended;

  /** Returns false when the reader is gone or does not read. */
  synchronized boolean put(byte[] piece) throws InterruptedException {
    long deadline = System.nanoTime() + READER_LIMIT.toNanos();
    while (!ended && size > MOST) {
      long left = (deadline - System.nanoTime()) / 1_000_000;
      if (left <= 0) {
        return false;
      }
      wait(left);
    }
    if (ended) {
      return false;
    }
    if (piece.length > 0) {
      pieces.add(piece);
      size += piece.length;
      notifyAll();
    }
    return true;
  }

  /** What was put before can still be read. */
  synchronized void end() {
    ended = true;
    notifyAll();
  }

  @Override
  public int read() {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
  }

  @Override
  public synchronized int read(byte[] into, int offset, int length) {
    if (length == 0) {
      return 0;
    }
    try {
      while (pieces.isEmpty() && !ended) {
        wait();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return -1;
    }
    byte[] first = pieces.peek();
    if (first == null) {
      return -1;
    }
    int count = Math.min(length, first.length - consumed);
    System.arraycopy(first, consumed, into, offset, count);
    consumed += count;
    size -= count;
    if (consumed == first.length) {
      pieces.remove();
      consumed = 0;
    }
    notifyAll();
    return count;
  }

  @Override
  public void close() {
    end();
  }
}
