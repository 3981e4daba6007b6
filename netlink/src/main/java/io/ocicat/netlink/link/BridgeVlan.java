package io.ocicat.netlink.link;

/**
 * A VLAN, or a range of VLANs, of a bridge port.
 *
 * @param pvid incoming untagged frames belong to it; only for a single VLAN
 * @param untagged frames leave without their tag
 */
public record BridgeVlan(int first, int last, boolean pvid, boolean untagged) {
  static final int LAST_ID = 4094;

  public BridgeVlan {
    if (first < 1 || last > LAST_ID || first > last) {
      throw new IllegalArgumentException(
          "VLANs %d–%d: expected a range within 1–%d".formatted(first, last, LAST_ID));
    }
    if (pvid && first != last) {
      throw new IllegalArgumentException(
          "VLANs %d–%d: only one can be that of untagged frames".formatted(first, last));
    }
  }

  /** Frames of this VLAN are tagged in both directions. */
  public static BridgeVlan tagged(int id) {
    return new BridgeVlan(id, id, false, false);
  }

  /** As {@link #tagged(int)}, for every id from first to last. */
  public static BridgeVlan tagged(int first, int last) {
    return new BridgeVlan(first, last, false, false);
  }

  /** The VLAN of an ordinary port: untagged outside, this one inside. */
  public static BridgeVlan access(int id) {
    return new BridgeVlan(id, id, true, true);
  }

  /** In the syntax of {@code bridge vlan}. */
  @Override
  public String toString() {
    return (first == last ? "vid " + first : "vid " + first + "-" + last)
        + (pvid ? " pvid" : "")
        + (untagged ? " untagged" : "");
  }
}
