package io.ocicat.netlink.linux;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * A struct msghdr for sendmsg(2) and recvmsg(2), with one buffer of data and room for descriptors.
 * On both architectures pointers and sizes have 8 bytes and control messages are aligned to 8
 * (linux/socket.h, struct user_msghdr and cmsghdr).
 */
final class SocketMessage {
  /** SCM_MAX_FD: the kernel rejects more in one message. */
  static final int MAX_DESCRIPTORS = 253;

  private static final int MSGHDR = 56;
  private static final int MSG_IOV = 16;
  private static final int MSG_IOVLEN = 24;
  private static final int MSG_CONTROL = 32;
  private static final int MSG_CONTROLLEN = 40;
  private static final int MSG_FLAGS = 48;
  private static final int IOVEC = 16;
  private static final int CMSG_LEVEL = 8;
  private static final int CMSG_TYPE = 12;
  private static final int CMSG_DATA = 16;
  private static final int SOL_SOCKET = 1;
  private static final int SCM_RIGHTS = 1;
  private static final int MSG_CTRUNC = 0x8;
  private static final int MSG_TRUNC = 0x20;

  private final MemorySegment header;
  private final MemorySegment iovec;
  private final MemorySegment data;
  private final MemorySegment control;

  private SocketMessage(Arena arena, long dataSize, int controlSize) {
    header = arena.allocate(MSGHDR, Long.BYTES);
    iovec = arena.allocate(IOVEC, Long.BYTES);
    data = arena.allocate(dataSize);
    control = arena.allocate(Math.max(controlSize, 1), Long.BYTES);
    header.set(JAVA_LONG, MSG_IOV, iovec.address());
    header.set(JAVA_LONG, MSG_IOVLEN, 1);
    setControl(controlSize);
    skip(0);
  }

  static SocketMessage toSend(Arena arena, byte[] bytes, int... descriptors) {
    int size = descriptors.length == 0 ? 0 : CMSG_DATA + descriptors.length * Integer.BYTES;
    SocketMessage message = new SocketMessage(arena, bytes.length, size);
    MemorySegment.copy(bytes, 0, message.data, JAVA_BYTE, 0, bytes.length);
    if (size > 0) {
      message.control.set(JAVA_LONG, 0, size);
      message.control.set(JAVA_INT, CMSG_LEVEL, SOL_SOCKET);
      message.control.set(JAVA_INT, CMSG_TYPE, SCM_RIGHTS);
      MemorySegment.copy(descriptors, 0, message.control, JAVA_INT, CMSG_DATA, descriptors.length);
    }
    return message;
  }

  /**
   * Room for exactly so many descriptors: without the padding of CMSG_SPACE, into which the kernel
   * would put one more.
   */
  static SocketMessage toReceive(Arena arena, int most, int mostDescriptors) {
    int size = mostDescriptors == 0 ? 0 : CMSG_DATA + mostDescriptors * Integer.BYTES;
    return new SocketMessage(arena, most, size);
  }

  long address() {
    return header.address();
  }

  /** Continues after what was sent; descriptors went with its first byte. */
  void sent(long count) {
    skip(count);
    setControl(0);
  }

  byte[] bytes(long count) {
    return data.asSlice(0, count).toArray(JAVA_BYTE);
  }

  boolean lostBytes() {
    return (header.get(JAVA_INT, MSG_FLAGS) & MSG_TRUNC) != 0;
  }

  boolean lostDescriptors() {
    return (header.get(JAVA_INT, MSG_FLAGS) & MSG_CTRUNC) != 0;
  }

  /**
   * Takes ownership of every descriptor that arrived: they are open in this process from now on.
   */
  List<Fd> takeDescriptors() {
    List<Fd> taken = new ArrayList<>();
    long end = Math.min(header.get(JAVA_LONG, MSG_CONTROLLEN), control.byteSize());
    long at = 0;
    while (end - at >= CMSG_DATA) {
      long length = control.get(JAVA_LONG, at);
      if (length < CMSG_DATA || length > end - at) {
        break;
      }
      boolean rights =
          control.get(JAVA_INT, at + CMSG_LEVEL) == SOL_SOCKET
              && control.get(JAVA_INT, at + CMSG_TYPE) == SCM_RIGHTS;
      for (long fd = at + CMSG_DATA; rights && fd + Integer.BYTES <= at + length; fd += 4) {
        taken.add(Fd.owning(control.get(JAVA_INT, fd)));
      }
      at += (length + 7) & ~7;
    }
    return taken;
  }

  private void skip(long count) {
    iovec.set(JAVA_LONG, 0, data.address() + count);
    iovec.set(JAVA_LONG, Long.BYTES, data.byteSize() - count);
  }

  private void setControl(int size) {
    header.set(JAVA_LONG, MSG_CONTROL, size == 0 ? 0 : control.address());
    header.set(JAVA_LONG, MSG_CONTROLLEN, size);
  }
}
