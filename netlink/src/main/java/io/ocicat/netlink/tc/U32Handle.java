package io.ocicat.netlink.tc;

/**
 * The handle of a u32 filter, or of one of the hash tables that contain such filters: {@code 800:}
 * is a table, {@code 2:7b:} a bucket of one, {@code 800::801} a filter in bucket 0 of one. All
 * hexadecimal.
 */
public record U32Handle(int value) {
  /** No handle: the kernel chooses one, in the first table of the filter's priority. */
  public static final U32Handle NONE = new U32Handle(0);

  private static final int MAX_TABLE = 0xfff;
  private static final int MAX_BUCKET = 0xff;
  private static final int MAX_NODE = 0xfff;

  /** A hash table, from 1 to 0x7ff: the kernel numbers its own from 0x800. */
  public static U32Handle ofTable(int table) {
    return of(table, 0, 0);
  }

  /**
   * A filter.
   *
   * @param table 0 for the first table of the filter's priority
   * @param node 0 to let the kernel choose one
   */
  public static U32Handle of(int table, int bucket, int node) {
    if (table < 0
        || table > MAX_TABLE
        || bucket < 0
        || bucket > MAX_BUCKET
        || node < 0
        || node > MAX_NODE) {
      throw new IllegalArgumentException(
          "%x:%x:%x is no u32 handle: table and filter are 0 to fff, the bucket is 0 to ff"
              .formatted(table, bucket, node));
    }
    return new U32Handle(table << 20 | bucket << 12 | node);
  }

  public int table() {
    return value >>> 20;
  }

  public int bucket() {
    return value >>> 12 & MAX_BUCKET;
  }

  public int node() {
    return value & MAX_NODE;
  }

  /** The table and bucket without the filter, as TCA_U32_HASH has it. */
  int withoutNode() {
    return value & ~MAX_NODE;
  }

  boolean isTable() {
    return bucket() == 0 && node() == 0;
  }

  @Override
  public String toString() {
    if (value == 0) {
      return "none";
    }
    String table = table() == 0 ? "" : Integer.toHexString(table());
    if (isTable()) {
      return table + ":";
    }
    String bucket = bucket() == 0 ? "" : Integer.toHexString(bucket());
    String node = node() == 0 ? "" : Integer.toHexString(node());
    return table + ":" + bucket + ":" + node;
  }
}
