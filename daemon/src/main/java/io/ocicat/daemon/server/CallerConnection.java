package io.ocicat.daemon.server;

import io.ocicat.cni.exec.CniEnvironment;
import io.ocicat.daemon.server.CallServer.UnderWay;
import io.ocicat.daemon.wire.WireReply;
import io.ocicat.daemon.wire.WireRequest;
import io.ocicat.netlink.linux.Errno;
import io.ocicat.netlink.linux.NetlinkException;
import io.ocicat.netlink.linux.UnixSocket;
import java.time.Duration;

/**
 * The connection of a caller that waits for its reply. The watchdog and the thread that serves it
 * may both write to it. Thread-safe.
 */
final class CallerConnection {
  private static final Duration SEND_LIMIT = Duration.ofSeconds(5);

  /** A caller that is still connected after that will read it. */
  private static final Duration READING_LIMIT = Duration.ofSeconds(1);

  private final UnixSocket socket;
  private final Thread server = Thread.currentThread();
  private final long startNanos;
  private final String plugin;
  private final String verb;
  private final String containerId;
  private boolean answered;
  private boolean reported;

  CallerConnection(UnixSocket socket, WireRequest request, long startNanos) {
    this.socket = socket;
    this.plugin = request.plugin();
    this.verb = request.variable(CniEnvironment.COMMAND);
    this.containerId = request.variable(CniEnvironment.CONTAINER_ID);
    this.startNanos = startNanos;
  }

  /** Sends a keep-alive, unless the reply has been sent. */
  synchronized void sendKeepAlive() {
    if (!answered) {
      try {
        socket.send(new WireReply.Working().bytes(), Duration.ofMillis(100));
      } catch (NetlinkException _) {
        // The caller is gone, or does not read; the thread that serves it will see.
      }
    }
  }

  /** Returns false when the caller could not be reached. */
  synchronized boolean answer(WireReply answer) {
    answered = true;
    try {
      socket.send(answer.bytes(), SEND_LIMIT);
      return true;
    } catch (NetlinkException _) {
      return false;
    }
  }

  /**
   * Whether the caller was gone before it had read the reply. The kernel resets a connection whose
   * other end is closed with unread data; a connection whose data was read just ends.
   */
  boolean answerIsLost() {
    try {
      socket.endOutput();
      socket.receive(1, 0, READING_LIMIT);
      return false;
    } catch (NetlinkException e) {
      return e.is(Errno.ECONNRESET) || e.is(Errno.EPIPE);
    }
  }

  boolean callerIsGone() {
    try {
      return socket.awaitHangup(Duration.ZERO);
    } catch (NetlinkException _) {
      return true;
    }
  }

  UnderWay underWay() {
    return new UnderWay(plugin, verb, containerId, System.nanoTime() - startNanos);
  }

  /** The stack of the thread that serves it, reported once. */
  synchronized StackTraceElement[] reportStuck() {
    if (reported) {
      return new StackTraceElement[0];
    }
    reported = true;
    return server.getStackTrace();
  }
}
