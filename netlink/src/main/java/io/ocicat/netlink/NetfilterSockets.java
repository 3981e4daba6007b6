package io.ocicat.netlink;

import io.ocicat.netlink.linux.Fd.FileId;
import io.ocicat.netlink.ns.NetNs;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A pool of netfilter sockets. Closing one makes the kernel wait for every pending deletion in
 * nf_tables, for tens of milliseconds and with the lock held that all changes in that namespace
 * need. So sockets are kept for a few seconds for reuse, and closed when there is nothing left to
 * wait for. Meanwhile they keep their namespace alive.
 *
 * <p>Thread-safe; a borrowed socket belongs to one user.
 */
public final class NetfilterSockets {
  private static final long KEPT_NANOS = 3_000_000_000L;
  private static final int MAX_PER_NAMESPACE = 8;
  private static final NetfilterSockets ALL = new NetfilterSockets();

  private record Idle(NetlinkSocket socket, long sinceNanos) {}

  private final Map<FileId, Deque<Idle>> idle = new HashMap<>();
  private @Nullable Thread closer;

  private NetfilterSockets() {}

  /** Borrows one in this namespace; return it with {@link #release}. */
  public static NetlinkSocket borrow(NetNs namespace) {
    NetlinkSocket kept = ALL.take(namespace.id());
    return kept != null ? kept : NetlinkSocket.open(Protocol.NETFILTER, namespace);
  }

  /** Returns one that was borrowed in this namespace. */
  public static void release(NetNs namespace, NetlinkSocket socket) {
    if (!ALL.keep(namespace.id(), socket)) {
      socket.close();
    }
  }

  private synchronized @Nullable NetlinkSocket take(FileId namespace) {
    Deque<Idle> some = idle.get(namespace);
    Idle last = some == null ? null : some.pollLast();
    return last == null ? null : last.socket();
  }

  private synchronized boolean keep(FileId namespace, NetlinkSocket socket) {
    Deque<Idle> some = idle.computeIfAbsent(namespace, _ -> new ArrayDeque<>());
    if (some.size() >= MAX_PER_NAMESPACE) {
      return false;
    }
    some.addLast(new Idle(socket, System.nanoTime()));
    if (closer == null) {
      closer = Thread.ofPlatform().daemon().name("netfilter-closer").start(this::closeOld);
    }
    return true;
  }

  /** Ends when there are none left. */
  private void closeOld() {
    while (true) {
      try {
        Thread.sleep(KEPT_NANOS / 1_000_000 / 3);
      } catch (InterruptedException _) {
        // Nobody interrupts it; it would only mean to check early.
      }
      Deque<Idle> old = new ArrayDeque<>();
      boolean last = removeOld(old);
      old.forEach(one -> one.socket().close());
      if (last) {
        return;
      }
    }
  }

  private synchronized boolean removeOld(Deque<Idle> old) {
    long now = System.nanoTime();
    for (Iterator<Deque<Idle>> all = idle.values().iterator(); all.hasNext(); ) {
      Deque<Idle> some = all.next();
      while (!some.isEmpty() && now - some.peekFirst().sinceNanos() >= KEPT_NANOS) {
        old.add(some.pollFirst());
      }
      if (some.isEmpty()) {
        all.remove();
      }
    }
    if (idle.isEmpty()) {
      closer = null;
      return true;
    }
    return false;
  }
}
