package io.ocicat.netlink;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.ArrayBlockingQueue;

/**
 * Native memory for one exchange with the kernel: the data sent, the data received, and the
 * sender's address. Exchanges borrow it rather than sockets owning it, because a pod's socket lives
 * for one exchange or two and closing an arena stops every thread of the VM for a moment. The
 * garbage collector frees what the small pool does not keep.
 */
final class Buffers {
  /**
   * No kernel message is larger: dumps are limited to 32 KiB, and the largest single object we read
   * is a link.
   */
  static final int RECEIVE = 64 * 1024;

  static final int SOCKADDR_NL = 12;

  private static final int SEND = 16 * 1024;
  private static final ArrayBlockingQueue<Buffers> POOL = new ArrayBlockingQueue<>(16);

  final MessageWriter out = new MessageWriter(SEND);
  private final MemorySegment sent;
  final MemorySegment in;
  final MemorySegment sender;
  final MemorySegment senderLength;

  private Buffers() {
    Arena arena = Arena.ofAuto();
    sent = arena.allocate(SEND, Long.BYTES);
    in = arena.allocate(RECEIVE, Long.BYTES);
    sender = arena.allocate(SOCKADDR_NL, Integer.BYTES);
    senderLength = arena.allocate(Integer.BYTES, Integer.BYTES);
  }

  static Buffers borrow() {
    Buffers free = POOL.poll();
    return free == null ? new Buffers() : free;
  }

  /** What was written, in memory that the kernel can read. */
  MemorySegment written() {
    int length = out.length();
    MemorySegment memory = length <= SEND ? sent : Arena.ofAuto().allocate(length, Long.BYTES);
    MemorySegment.copy(out.bytes(), 0, memory, JAVA_BYTE, 0, length);
    return memory;
  }

  void release() {
    out.reset();
    if (out.bytes().length == SEND) {
      POOL.offer(this);
    }
  }
}
