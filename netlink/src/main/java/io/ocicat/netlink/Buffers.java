package io.ocicat.netlink;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.ArrayBlockingQueue;

/**
 * Native memory for one exchange with the kernel: what is sent, what comes back, and who it came
 * from. Exchanges borrow it rather than sockets owning it, because a pod's socket lives for one
 * exchange or two and closing an arena stops every thread of the VM for a moment. The garbage
 * collector frees what the small pool does not keep.
 */
final class Buffers {
  /**
   * No kernel message is larger: dumps are cut to 32 KiB, and the largest single object we read is
   * a link.
   */
  static final int RECEIVE = 64 * 1024;

  static final int SOCKADDR_NL = 12;

  private static final int SEND = 16 * 1024;
  private static final int MOST_SENT = 16 * 1024 * 1024;
  private static final ArrayBlockingQueue<Buffers> POOL = new ArrayBlockingQueue<>(16);

  final MessageWriter out = new MessageWriter(Arena.ofAuto().allocate(SEND, Long.BYTES));
  final MemorySegment in;
  final MemorySegment sender;
  final MemorySegment senderLength;

  private Buffers() {
    Arena arena = Arena.ofAuto();
    in = arena.allocate(RECEIVE, Long.BYTES);
    sender = arena.allocate(SOCKADDR_NL, Integer.BYTES);
    senderLength = arena.allocate(Integer.BYTES, Integer.BYTES);
  }

  static Buffers borrow() {
    Buffers free = POOL.poll();
    return free == null ? new Buffers() : free;
  }

  void giveBack() {
    out.reset();
    if (out.memory().byteSize() == SEND) {
      POOL.offer(this);
    }
  }

  static MemorySegment grown(MemorySegment memory, long needed) {
    if (needed > MOST_SENT) {
      throw new IllegalArgumentException(
          "a netlink batch of more than " + MOST_SENT + " bytes: split it");
    }
    MemorySegment larger =
        Arena.ofAuto().allocate(Math.max(needed, memory.byteSize() * 2), Long.BYTES);
    return larger.copyFrom(memory);
  }
}
