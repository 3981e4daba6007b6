package io.ocicat.netlink.link;

/**
 * A VLAN, or a range of them, that may pass a bridge's port.
 *
 * @param pvid untagged frames that come in belong to it; only for a single one
 * @param untagged frames go out without their tag
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

  /** Frames of this VLAN come and go with their tag. */
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

  /** As {@code bridge vlan} takes it. */
  @Override
  public String toString() {
    return (first == last ? "vid " + first : "vid " + first + "-" + last)
        + (pvid ? " pvid" : "")
        + (untagged ? " untagged" : "");
  }
}
