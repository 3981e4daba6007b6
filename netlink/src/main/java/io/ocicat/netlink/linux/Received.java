package io.ocicat.netlink.linux;

import java.util.List;

/**
 * What one receive brought: bytes, and the descriptors that came with them. Owns the descriptors:
 * closing closes those that were not closed before. Who needs one for longer makes a duplicate, or
 * does not close this and closes each.
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
