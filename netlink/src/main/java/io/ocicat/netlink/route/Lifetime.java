package io.ocicat.netlink.route;

/**
 * The lifetime of an address in seconds: it may be used for new connections while preferred, and is
 * removed when no longer valid.
 */
public record Lifetime(long preferred, long valid) {
  /** The number of seconds that means unlimited. */
  public static final long ENDLESS = 0xffff_ffffL;

  public static final Lifetime FOREVER = new Lifetime(ENDLESS, ENDLESS);

  public Lifetime {
    if (preferred < 0 || preferred > valid || valid > ENDLESS) {
      throw new IllegalArgumentException(
          "an address cannot be preferred for %d of %d seconds: 0 ≤ preferred ≤ valid ≤ %d"
              .formatted(preferred, valid, ENDLESS));
    }
  }

  boolean isEndless() {
    return preferred == ENDLESS && valid == ENDLESS;
  }
}
