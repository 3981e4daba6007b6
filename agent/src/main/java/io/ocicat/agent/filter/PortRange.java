package io.ocicat.agent.filter;

/** Ports from first to last, both included. */
public record PortRange(int first, int last) {
  private static final int MAX = 0xffff;

  public PortRange {
    if (first < 0 || last < first || last > MAX) {
      throw new IllegalArgumentException(
          "%d:%d is not a range of ports: both ends must be 0 to 65535, in order"
              .formatted(first, last));
    }
  }

  public static PortRange of(int port) {
    return new PortRange(port, port);
  }

  public boolean contains(int port) {
    return first <= port && port <= last;
  }

  @Override
  public String toString() {
    return first == last ? Integer.toString(first) : first + ":" + last;
  }
}
