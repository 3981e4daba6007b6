package io.ocicat.daemon.server;

import io.ocicat.daemon.wire.Answer;
import io.ocicat.netlink.NetlinkException;
import io.ocicat.netlink.linux.UnixSocket;
import java.time.Duration;

/**
 * A caller that waits for its answer. The watchdog and the thread that serves it may both speak to
 * it. Thread-safe.
 */
final class Connection {
  private static final Duration SEND_LIMIT = Duration.ofSeconds(5);

  private final UnixSocket socket;
  private final Thread server = Thread.currentThread();
  private final long startNanos;
  private final String about;
  private boolean answered;
  private boolean reported;

  Connection(UnixSocket socket, String about, long startNanos) {
    this.socket = socket;
    this.about = about;
    this.startNanos = startNanos;
  }

  /** Says that the call is under way, unless the answer is already out. */
  synchronized void reassure() {
    if (!answered) {
      try {
        socket.send(new Answer.Working().bytes(), Duration.ofMillis(100));
      } catch (NetlinkException _) {
        // It is gone, or does not read; the one who serves it will see.
      }
    }
  }

  /** Returns false when nobody took it. */
  synchronized boolean answer(Answer answer) {
    answered = true;
    try {
      socket.send(answer.bytes(), SEND_LIMIT);
      return true;
    } catch (NetlinkException _) {
      return false;
    }
  }

  boolean callerIsGone() {
    try {
      return socket.awaitHangup(Duration.ZERO);
    } catch (NetlinkException _) {
      return true;
    }
  }

  long nanos() {
    return System.nanoTime() - startNanos;
  }

  String about() {
    return about;
  }

  /** Where the thread that serves it is, told once. */
  synchronized StackTraceElement[] reportStuck() {
    if (reported) {
      return new StackTraceElement[0];
    }
    reported = true;
    return server.getStackTrace();
  }
}
