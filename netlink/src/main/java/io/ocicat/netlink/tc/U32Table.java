package io.ocicat.netlink.tc;

import io.ocicat.netlink.Attributes;
import io.ocicat.netlink.MessageWriter;

/**
 * A hash table for {@link U32} filters, which matches nothing itself. The kernel creates one, with
 * a single bucket, for each position.
 *
 * @param buckets a power of two up to 256
 */
public record U32Table(U32Handle at, int buckets) implements Classifier {
  private static final int MAX_BUCKETS = 256;
  private static final int DIVISOR = 4;

  public U32Table {
    if (Integer.bitCount(buckets) != 1 || buckets < 1 || buckets > MAX_BUCKETS) {
      throw new IllegalArgumentException(
          "a u32 table has 1, 2, 4, … or 256 buckets, not " + buckets);
    }
    if (!at.isTable()) {
      throw new IllegalArgumentException(at + " is the handle of a u32 filter, not of a table");
    }
  }

  @Override
  public String kind() {
    return U32.KIND;
  }

  static boolean isIn(Attributes options) {
    return options.has(DIVISOR);
  }

  static U32Table read(int handle, Attributes options) {
    return new U32Table(new U32Handle(handle), options.u32(DIVISOR, 0));
  }

  void write(MessageWriter out) {
    out.u32(DIVISOR, buckets);
  }
}
