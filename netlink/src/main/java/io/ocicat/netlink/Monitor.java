package io.ocicat.netlink;

import io.ocicat.netlink.linux.Errno;
import io.ocicat.netlink.linux.NetlinkException;
import io.ocicat.netlink.ns.NetNs;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Watches a namespace for changes of links, addresses, routes, …
 *
 * <p>To track the state as well: open the monitor first, then list, then read events. An event may
 * repeat what the list already showed, but nothing is missed in between. After {@link Lost}, do the
 * same again: list, then continue reading.
 *
 * <p>One thread at a time reads events, a platform thread because waiting blocks its carrier. Any
 * thread may call {@link #close}, which ends the wait.
 *
 * @param <T> what the topics have in common: {@code Monitor<Link>} for links alone, {@code
 *     Monitor<Record>} for a mixture, distinguished by {@code case Changed(Link link)}
 */
public final class Monitor<T> implements AutoCloseable {
  /**
   * Only a limit, no memory is reserved. The kernel counts about 4 KiB for each link event, and a
   * node that starts a hundred pods causes a thousand of them in a second or two.
   */
  private static final int RECEIVE_BUFFER = 16 * 1024 * 1024;

  private final NetlinkChannel channel;
  private final List<Topic<? extends T>> topics;
  private final WakeupFd closing;
  private final ReentrantLock reading = new ReentrantLock();
  private final Queue<NetlinkMessage> unread = new ArrayDeque<>();
  private final AtomicBoolean closed = new AtomicBoolean();

  private Monitor(NetlinkChannel channel, List<Topic<? extends T>> topics, WakeupFd closing) {
    this.channel = channel;
    this.topics = topics;
    this.closing = closing;
  }

  /** A change. */
  public sealed interface Event<T> {}

  /** The object exists, new or changed: the kernel does not always say which. */
  public record Changed<T>(T object) implements Event<T> {}

  /** The object is gone; this was its last state. */
  public record Removed<T>(T object) implements Event<T> {}

  /**
   * The kernel dropped events, and everything unread is discarded: list the state again. Changes
   * after this event are reported.
   */
  public record Lost<T>() implements Event<T> {}

  /**
   * Subscribes to topics in a namespace. Every later change is reported.
   *
   * @throws IllegalArgumentException when the topics are not of one netlink family
   */
  @SafeVarargs
  @SuppressWarnings("varargs")
  public static <T> Monitor<T> open(NetNs namespace, Topic<? extends T>... topics) {
    return open(namespace, RECEIVE_BUFFER, List.of(topics));
  }

  /**
   * Subscribes by requests instead of multicast groups, as a log group wants it: what the kernel
   * then sends to this socket is reported.
   *
   * @throws io.ocicat.netlink.linux.NetlinkException when the kernel refuses one of the requests
   */
  public static <T> Monitor<T> open(
      NetNs namespace, List<NetlinkRequest> subscription, Topic<? extends T> topic) {
    Monitor<T> monitor = open(namespace, RECEIVE_BUFFER, List.of(topic));
    Buffers buffers = Buffers.borrow();
    try {
      for (int i = 0; i < subscription.size(); i++) {
        buffers.out.message(subscription.get(i), i + 1);
      }
      buffers.out.acknowledgeLast();
      monitor.channel.send(buffers);
      RequestOutcome.requireAll(new BatchAcks(subscription, 1).collect(monitor.channel, buffers));
      return monitor;
    } catch (RuntimeException e) {
      monitor.close();
      throw e;
    } finally {
      buffers.release();
    }
  }

  static <T> Monitor<T> open(NetNs namespace, int receiveBuffer, List<Topic<? extends T>> topics) {
    Protocol protocol = topics.getFirst().protocol();
    if (topics.stream().anyMatch(topic -> topic.protocol() != protocol)) {
      throw new IllegalArgumentException("a monitor's topics must be of one netlink family");
    }
    NetlinkChannel channel =
        namespace.visit(() -> NetlinkChannel.open(protocol, receiveBuffer, Duration.ZERO));
    try {
      topics.stream().flatMap(topic -> topic.groups().stream()).distinct().forEach(channel::join);
      return new Monitor<>(channel, topics, new WakeupFd());
    } catch (RuntimeException e) {
      channel.close();
      throw e;
    }
  }

  /** Waits for the next event; empty only when the monitor is closed. */
  public Optional<Event<T>> next() {
    while (true) {
      Optional<Event<T>> event = poll(Duration.ofDays(1));
      if (event.isPresent() || closed.get()) {
        return event;
      }
    }
  }

  /** Waits for the next event; empty on timeout or when the monitor is closed. */
  public Optional<Event<T>> poll(Duration timeout) {
    long deadline = System.nanoTime() + timeout.toNanos();
    reading.lock();
    try {
      while (!closed.get()) {
        NetlinkMessage message = unread.poll();
        if (message != null) {
          Optional<Event<T>> event = read(message);
          if (event.isPresent()) {
            return event;
          }
        } else if (!closing.await(channel.descriptor(), deadline - System.nanoTime())) {
          return Optional.empty();
        } else if (!receive()) {
          return Optional.of(new Lost<>());
        }
      }
      return Optional.empty();
    } finally {
      reading.unlock();
    }
  }

  public boolean isClosed() {
    return closed.get();
  }

  @Override
  public void close() {
    if (closed.getAndSet(true)) {
      return;
    }
    closing.wake();
    // Not before the reader has left: its descriptor numbers must not be reused under it.
    reading.lock();
    try {
      channel.close();
      closing.close();
    } finally {
      reading.unlock();
    }
  }

  /** Reads the available events; false when the kernel had to drop some. */
  private boolean receive() {
    Buffers buffers = Buffers.borrow();
    try {
      channel.receiveIfAny(buffers).map(NetlinkMessage::split).ifPresent(unread::addAll);
      return true;
    } catch (NetlinkException e) {
      if (!e.is(Errno.ENOBUFS)) {
        throw e;
      }
      dropQueued(buffers);
      return false;
    } finally {
      buffers.release();
    }
  }

  /**
   * The kernel reports the loss before the messages it kept, all older than what it lost. Reading
   * them after a new listing would resurrect deleted objects.
   */
  private void dropQueued(Buffers buffers) {
    boolean more = true;
    while (more && !closed.get()) {
      try {
        more = channel.receiveIfAny(buffers).isPresent();
      } catch (NetlinkException e) {
        if (!e.is(Errno.ENOBUFS)) {
          throw e;
        }
      }
    }
  }

  private Optional<Event<T>> read(NetlinkMessage message) {
    for (Topic<? extends T> topic : topics) {
      if (topic.concerns(message)) {
        return Optional.of(widen(topic.read(message)));
      }
    }
    return Optional.empty();
  }

  private static <T> Event<T> widen(Event<? extends T> event) {
    return switch (event) {
      case Changed<? extends T>(T object) -> new Changed<>(object);
      case Removed<? extends T>(T object) -> new Removed<>(object);
      case Lost<? extends T>() -> new Lost<>();
    };
  }
}
