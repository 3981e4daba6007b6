package io.ocicat.agent.matrix;

/**
 * One cell of the truth table.
 *
 * @param v4 whether by IPv4, else IPv6
 */
public record Cell(Actor from, Actor to, Service service, boolean v4) {
  /** The first packet. */
  Packet packet(int sourcePort) {
    return service.packet(from.address(v4), to.address(v4), sourcePort);
  }

  @Override
  public String toString() {
    return "%s → %s %s %s".formatted(from, to, service, v4 ? "IPv4" : "IPv6");
  }
}
