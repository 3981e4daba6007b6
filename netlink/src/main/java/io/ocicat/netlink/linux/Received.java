package io.ocicat.netlink.linux;

import java.util.List;

/**
 * The data of one receive: bytes, and the descriptors that came with them. Owns the descriptors:
 * closing closes those that are still open. To keep one for longer, duplicate it, or do not close
 * this and close each.
 */
@SuppressWarnings("ArrayRecordComponent") // A buffer to read from, not a value to compare.
public record Received(byte[] bytes, List<Fd> descriptors) implements AutoCloseable {
  public Received {
    descriptors = List.copyOf(descriptors);
  }

  @Override
  public void close() {
    descriptors.forEach(Fd::close);
  }
}
