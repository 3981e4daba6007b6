package io.ocicat.datastore.kubernetes.mapping;

import java.util.UUID;

/**
 * Converts between UIDs in the group crd.projectcalico.org/v1 and those that Calico shows: each
 * byte's bits are reversed, except for the two bytes with a UUID's version and variant. Two API
 * objects, one derived from the other, must not have the same UID. The conversion is its own
 * inverse.
 */
public final class CrdUids {
  private static final int VERSION_BYTE = 6;
  private static final int VARIANT_BYTE = 8;
  private static final int CANONICAL_LENGTH = 36;

  private CrdUids() {}

  /** Converts a UID; a text that is not a UUID stays as it is. */
  public static String swap(String uid) {
    if (uid.length() != CANONICAL_LENGTH) {
      return uid;
    }
    try {
      UUID parsed = UUID.fromString(uid);
      // Java accepts groups of any length.
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

  /** Reverses all bytes except one, counted from the most significant. */
  private static long reverse(long bytes, int but) {
    long swapped = Long.reverseBytes(Long.reverse(bytes));
    long mask = 0xffL << (Byte.SIZE * (Long.BYTES - 1 - but));
    return (swapped & ~mask) | (bytes & mask);
  }
}
