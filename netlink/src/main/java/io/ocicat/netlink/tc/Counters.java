package io.ocicat.netlink.tc;

import io.ocicat.netlink.Attributes;
import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * The statistics of a qdisc or class (linux/gen_stats.h).
 *
 * @param drops packets dropped because the queue was full
 * @param overlimits how often packets had to wait for tokens
 * @param backlog bytes waiting now
 * @param queued packets waiting now
 */
public record Counters(
    long bytes, long packets, long drops, long overlimits, long backlog, long queued) {
  private static final int BASIC = 1;
  private static final int QUEUE = 3;
  private static final int PACKETS_64 = 8;
  private static final int BASIC_SIZE = 12;
  private static final int QUEUE_SIZE = 20;

  /** The content of TCA_STATS2. */
  static Counters read(Attributes stats) {
    Optional<ByteBuffer> basic = stats.structure(BASIC, BASIC_SIZE);
    Optional<ByteBuffer> queue = stats.structure(QUEUE, QUEUE_SIZE);
    long packets = basic.map(in -> u32(in, 8)).orElse(0L);
    return new Counters(
        basic.map(in -> in.getLong(0)).orElse(0L),
        stats.u64(PACKETS_64, packets),
        queue.map(in -> u32(in, 8)).orElse(0L),
        queue.map(in -> u32(in, 16)).orElse(0L),
        queue.map(in -> u32(in, 4)).orElse(0L),
        queue.map(in -> u32(in, 0)).orElse(0L));
  }

  private static long u32(ByteBuffer in, int at) {
    return Integer.toUnsignedLong(in.getInt(at));
  }
}
