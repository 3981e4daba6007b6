package io.ocicat.netlink.route;

/**
 * The settings of a route for the connections that use it.
 *
 * @param mtu the largest packet; 0 for the link's
 * @param mtuLocked path MTU discovery may not lower it
 * @param advmss the largest TCP segment to advertise; 0 to derive it from the MTU
 */
public record RouteMetrics(int mtu, boolean mtuLocked, int advmss) {
  public static final RouteMetrics NONE = new RouteMetrics(0, false, 0);

  public RouteMetrics {
    if (mtu < 0 || advmss < 0) {
      throw new IllegalArgumentException(
          "a route's mtu and advmss are at least 0, not %d and %d".formatted(mtu, advmss));
    }
  }

  boolean areNone() {
    return mtu == 0 && !mtuLocked && advmss == 0;
  }

  /** As in {@code mtu lock 1400 advmss 1360}, with a blank before it; empty for none. */
  @Override
  public String toString() {
    return (mtu == 0 ? "" : " mtu " + (mtuLocked ? "lock " : "") + mtu)
        + (advmss == 0 ? "" : " advmss " + advmss);
  }
}
