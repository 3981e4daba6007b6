package io.ocicat.datastore.kubernetes.mapping;

import java.util.UUID;

/**
 * The UID of a resource in the group crd.projectcalico.org/v1 is not the one that Calico shows:
 * each byte's bits are reversed, but for the two that tell a UUID's version and variant. Two
 * objects of the API, one made from the other, must not have the same. It is its own inverse.
 */
public final class CrdUids {
  private static final int VERSION_BYTE = 6;
  private static final int VARIANT_BYTE = 8;
  private static final int CANONICAL_LENGTH = 36;

  private CrdUids() {}

  /** What is no UUID stays as it is. */
  public static String swap(String uid) {
    if (uid.length() != CANONICAL_LENGTH) {
      return uid;
    }
    try {
      UUID parsed = UUID.fromString(uid);
      // Java takes groups of any length.
      if (!parsed.toString().equalsIgnoreCase(uid)) {
        return uid;
      }
      return new UUID(
              reverse(parsed.getMostSignificantBits(), VERSION_BYTE),
              reverse(parsed.getLeastSignificantBits(), VARIANT_BYTE - Long.BYTES))
          .toString();
    } catch (IllegalArgumentException _) {
      return uid;
    }
  }

  /** All bytes but one, counted from the most significant. */
  private static long reverse(long bytes, int but) {
    long swapped = Long.reverseBytes(Long.reverse(bytes));
    long mask = 0xffL << (Byte.SIZE * (Long.BYTES - 1 - but));
    return (swapped & ~mask) | (bytes & mask);
  }
}
