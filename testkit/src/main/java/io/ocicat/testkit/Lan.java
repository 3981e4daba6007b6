package io.ocicat.testkit;

/**
 * A network segment that hosts are connected to: a bridge in a namespace of its own. Hosts on one
 * LAN form a cluster.
 */
public final class Lan implements AutoCloseable {

  private static final String BRIDGE = "lan0";

  private final Host fabric;

  private Lan(Host fabric) {
    this.fabric = fabric;
  }

  public static Lan open() {
    Host fabric = Host.open();
    try {
      // Forwarding from the first packet: no spanning tree, no listening and learning phase.
      fabric.exec(
          "ip",
          "link",
          "add",
          BRIDGE,
          "type",
          "bridge",
          "stp_state",
          "0",
          "forward_delay",
          "0",
          "mcast_snooping",
          "0");
      fabric.up(BRIDGE);
      return new Lan(fabric);
    } catch (RuntimeException e) {
      fabric.close();
      throw e;
    }
  }

  /** Gives the host a port and addresses such as {@code 10.0.0.1/24}; returns its device there. */
  public String plug(Host host, String... addresses) {
    VethLink wire = VethLink.plug(fabric, host);
    fabric.exec("ip", "link", "set", wire.device(), "master", BRIDGE);
    for (String address : addresses) {
      host.address(wire.otherDevice(), address);
    }
    return wire.otherDevice();
  }

  /** The namespace of the bridge, to watch the traffic or to disconnect a port. */
  public Host fabric() {
    return fabric;
  }

  @Override
  public void close() {
    fabric.close();
  }
}
