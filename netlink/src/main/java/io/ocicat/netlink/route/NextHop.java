package io.ocicat.netlink.route;

import io.ocicat.ip.IpAddress;
import org.jspecify.annotations.Nullable;

/**
 * A next hop of a route. Begin with {@link #via} or {@link #on}: {@code
 * NextHop.via(gateway).dev(eth0).weight(2)}.
 *
 * @param gateway the router to hand packets to, of either family for an IPv4 route; none when
 *     destinations are on the link itself
 * @param device the link; without one the kernel uses the link the gateway is on
 * @param onlink the gateway is on the link even when no route says so
 * @param weight the share of a multipath route's packets, 1–256
 */
public record NextHop(
    @Nullable IpAddress gateway, @Nullable Device device, boolean onlink, int weight) {
  /** Nothing set yet. */
  static final NextHop UNSAID = new NextHop(null, null, false, 1);

  public NextHop {
    if (weight < 1 || weight > 256) {
      throw new IllegalArgumentException("a next hop's weight is 1–256, not " + weight);
    }
  }

  public static NextHop via(IpAddress gateway) {
    return UNSAID.gateway(gateway);
  }

  public static NextHop on(Device device) {
    return UNSAID.dev(device);
  }

  public NextHop gateway(IpAddress gateway) {
    return new NextHop(gateway, device, onlink, weight);
  }

  public NextHop dev(Device device) {
    return new NextHop(gateway, device, onlink, weight);
  }

  /** Treats the gateway as on-link, without a lookup in the routing table. */
  public NextHop asOnlink() {
    return new NextHop(gateway, device, true, weight);
  }

  public NextHop weight(int weight) {
    return new NextHop(gateway, device, onlink, weight);
  }

  /** As in {@code via 10.0.0.1 dev eth0 onlink}. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    append(text, gateway == null ? "" : "via " + gateway);
    append(text, device == null ? "" : "dev " + device);
    append(text, onlink ? "onlink" : "");
    return text.toString();
  }

  private static void append(StringBuilder text, String word) {
    if (!word.isEmpty()) {
      text.append(text.isEmpty() ? "" : " ").append(word);
    }
  }
}
