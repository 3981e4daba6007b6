package io.ocicat.cri.streaming;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Objects;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Bytes on their way from the reader of a connection to the user of one of its streams. Bounded: a
 * user that does not read holds the connection up, because neither protocol can hold up one stream
 * alone. Closing it discards what comes later. One thread writes, one reads, any closes.
 */
final class BytePipe extends InputStream {
  private static final int MOST_BYTES = 1 << 20;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final Deque<byte[]> chunks = new ArrayDeque<>();
  private int offset;
  private int size;
  private boolean ended;
  private boolean broken;
  private boolean closed;

  /** Waits while the pipe is full. */
  void write(byte[] chunk) {
    if (chunk.length == 0) {
      return;
    }
    lock.lock();
    try {
      while (size >= MOST_BYTES && !closed && !ended) {
        changed.awaitUninterruptibly();
      }
      if (!closed && !ended) {
        chunks.add(chunk);
        size += chunk.length;
        changed.signalAll();
      }
    } finally {
      lock.unlock();
    }
  }

  /** The reader finds the end after what was written. */
  void end() {
    lock.lock();
    try {
      ended = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** The reader gets an exception, at once. */
  void fail() {
    lock.lock();
    try {
      broken = true;
      ended = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
  }

  @Override
  public int read(byte[] target, int start, int length) throws IOException {
    Objects.checkFromIndexSize(start, length, target.length);
    if (length == 0) {
      return 0;
    }
    lock.lock();
    try {
      while (chunks.isEmpty() && !ended && !closed) {
        changed.awaitUninterruptibly();
      }
      if (broken) {
        throw new IOException("the stream was reset");
      }
      if (closed || chunks.isEmpty()) {
        return -1;
      }
      byte[] chunk = chunks.getFirst();
      int count = Math.min(length, chunk.length - offset);
      System.arraycopy(chunk, offset, target, start, count);
      offset += count;
      size -= count;
      if (offset == chunk.length) {
        chunks.removeFirst();
        offset = 0;
      }
      changed.signalAll();
      return count;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
      chunks.clear();
      size = 0;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }
}
