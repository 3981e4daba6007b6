package io.ocicat.agent.matrix;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import io.ocicat.netlink.linux.Kernel;
import io.ocicat.netlink.linux.Syscall;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/** Waits for packets of many raw sockets. For one thread. */
final class RawSockets implements AutoCloseable {
  private static final int POLLFD = 8;
  private static final int EVENTS = 4;
  private static final int REVENTS = 6;
  private static final int POLLIN = 1;
  private static final long WAIT_NANOS = 1_000_000;

  private final List<RawListener> listeners;
  private final Arena arena = Arena.ofShared();
  private final MemorySegment descriptors;
  private final MemorySegment timeout = arena.allocate(2 * Long.BYTES, Long.BYTES);

  RawSockets(List<RawListener> listeners) {
    this.listeners = listeners;
    this.descriptors = arena.allocate((long) POLLFD * listeners.size() + POLLFD, Integer.BYTES);
    for (int i = 0; i < listeners.size(); i++) {
      descriptors.set(JAVA_INT, (long) POLLFD * i, listeners.get(i).socket().descriptor());
      descriptors.set(JAVA_SHORT, (long) POLLFD * i + EVENTS, (short) POLLIN);
    }
    timeout.set(JAVA_LONG, Long.BYTES, WAIT_NANOS);
  }

  /** Waits a moment, and returns those that have packets. */
  List<RawListener> awaitPackets() {
    long count =
        Kernel.call(Syscall.PPOLL, descriptors.address(), listeners.size(), timeout.address(), 0);
    List<RawListener> ready = new ArrayList<>();
    for (int i = 0; count > 0 && i < listeners.size(); i++) {
      if (descriptors.get(JAVA_SHORT, (long) POLLFD * i + REVENTS) != 0) {
        ready.add(listeners.get(i));
      }
    }
    return ready;
  }

  @Override
  public void close() {
    arena.close();
  }
}
