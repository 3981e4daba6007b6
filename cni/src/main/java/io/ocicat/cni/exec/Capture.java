package io.ocicat.cni.exec;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Captures a bounded part of what a process writes to a stream: the first bytes of stdout, which
 * must be one JSON document, or the last of stderr, where the reason for a failure is. The rest is
 * read and discarded, so that the process never blocks.
 */
final class Capture {
  /** The size of the largest pipe: it holds all that was written before a process ended. */
  private static final int PIPE = 1 << 20;

  private final InputStream source;
  private final int max;
  private final boolean tail;
  private final byte[] chunk;
  private byte[] kept = new byte[1 << 10];
  private int length;

  private Capture(InputStream source, int max, boolean tail) {
    this.source = source;
    this.max = max;
    this.tail = tail;
    this.chunk = new byte[Math.min(8 << 10, max / 2)];
  }

  static Capture head(InputStream source, int max) {
    return new Capture(source, max, false);
  }

  static Capture tail(InputStream source, int max) {
    return new Capture(source, max, true);
  }

  /** Reads what is available without waiting; returns whether there was anything. */
  boolean drain() {
    try {
      int total = 0;
      while (total < PIPE && source.available() > 0) {
        int count = source.read(chunk, 0, Math.min(source.available(), chunk.length));
        if (count <= 0) {
          break;
        }
        append(count);
        total += count;
      }
      return total > 0;
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read the output of a plugin: " + e.getMessage(), e);
    }
  }

  private void append(int count) {
    if (tail && length + count > max) {
      // Drop half of it at once, so that a verbose process does not make us move bytes all the
      // time.
      int keep = Math.min(length, max / 2);
      System.arraycopy(kept, length - keep, kept, 0, keep);
      length = keep;
    }
    int room = Math.min(count, max - length);
    if (length + room > kept.length) {
      kept = Arrays.copyOf(kept, Math.clamp(2L * (length + room), 0, max));
    }
    System.arraycopy(chunk, 0, kept, length, room);
    length += room;
  }

  byte[] bytes() {
    return Arrays.copyOf(kept, length);
  }

  /** Invalid UTF-8 becomes U+FFFD. */
  String text() {
    return new String(kept, 0, length, StandardCharsets.UTF_8);
  }
}
