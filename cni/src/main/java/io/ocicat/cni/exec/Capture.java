package io.ocicat.cni.exec;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * What a process wrote to one of its streams, bounded: the first bytes of stdout, which must be one
 * JSON document, or the last of stderr, where the reason for a failure is. The rest is read and
 * thrown away, so that the process is never blocked by it.
 */
final class Capture {
  /** As much as the largest pipe holds: what was written before a process ended is all in here. */
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

  /** Takes what is there without ever waiting for more; says whether anything was. */
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
      // Half of it goes at once, so that a chatty process does not make us move bytes all the time.
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

  /** What is not UTF-8 becomes U+FFFD. */
  String text() {
    return new String(kept, 0, length, StandardCharsets.UTF_8);
  }
}
