package io.ocicat.daemon.info;

import io.ocicat.daemon.server.DaemonEvents;
import io.ocicat.netlink.linux.Errno;
import io.ocicat.netlink.linux.NetlinkException;
import io.ocicat.netlink.linux.Received;
import io.ocicat.netlink.linux.SocketType;
import io.ocicat.netlink.linux.UnixListener;
import io.ocicat.netlink.linux.UnixSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Function;

/** Serves the info socket: one request per connection, within bounds of size and time. */
public final class InfoServer implements AutoCloseable {
  private static final int OWNER_ONLY = 0600;
  private static final Duration LIMIT = Duration.ofSeconds(2);

  /** A slow client keeps one busy, for twice the limit. */
  private static final int THREADS = 4;

  private final UnixListener listener;
  private final Function<InfoRequest, InfoReply> knowledge;
  private final DaemonEvents events;

  private InfoServer(
      UnixListener listener, Function<InfoRequest, InfoReply> knowledge, DaemonEvents events) {
    this.listener = listener;
    this.knowledge = knowledge;
    this.events = events;
  }

  /** Serves at a path until it is closed, replacing any earlier server there. */
  public static InfoServer start(Path socket, DaemonInfo info, DaemonEvents events) {
    UnixListener listener = UnixListener.takeOver(socket, SocketType.STREAM, OWNER_ONLY);
    InfoServer server = new InfoServer(listener, info::answer, events);
    for (int i = 1; i <= THREADS; i++) {
      Thread.ofPlatform().name("info-" + i).daemon().start(server::serve);
    }
    return server;
  }

  private void serve() {
    while (listener.isOpen()) {
      accept().ifPresent(this::serve);
    }
  }

  /** Fails when there are too many descriptors, which must not turn this into a busy loop. */
  private Optional<UnixSocket> accept() {
    try {
      return listener.accept();
    } catch (NetlinkException e) {
      events.note("cannot accept at the info socket: " + e.getMessage());
      pause();
      return Optional.empty();
    }
  }

  private void serve(UnixSocket client) {
    try (client) {
      client.send(answer(client).bytes(), LIMIT);
      empty(client);
    } catch (NetlinkException _) {
      // It left early, or does not read.
    } catch (RuntimeException e) {
      events.note("a request at the info socket failed: " + e);
    }
  }

  /** Closing a socket that still has unread input discards the reply. */
  private static void empty(UnixSocket client) {
    for (int reads = 0; reads < 4; reads++) {
      if (client.receive(1 << 16, 0, Duration.ZERO).isEmpty()) {
        return;
      }
    }
  }

  private static void pause() {
    try {
      Thread.sleep(LIMIT);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  private InfoReply answer(UnixSocket socket) {
    try {
      return knowledge.apply(receive(socket));
    } catch (InfoReply.Refused e) {
      return e.answer();
    } catch (NetlinkException e) {
      if (e.is(Errno.ETIMEDOUT)) {
        return new InfoReply.Refused(408, "the request did not come within " + LIMIT).answer();
      }
      throw e;
    } catch (RuntimeException e) {
      return new InfoReply.Refused(500, String.valueOf(e.getMessage())).answer();
    }
  }

  private static InfoRequest receive(UnixSocket socket) {
    byte[] bytes = new byte[InfoRequest.MAX_BYTES];
    int length = 0;
    long deadline = System.nanoTime() + LIMIT.toNanos();
    while (!InfoRequest.isComplete(bytes, length)) {
      if (length == bytes.length) {
        throw new InfoReply.Refused(431, "a request has at most %d bytes".formatted(bytes.length));
      }
      Duration left = Duration.ofNanos(Math.max(0, deadline - System.nanoTime()));
      Optional<Received> more = socket.receive(bytes.length - length, 0, left);
      if (more.isEmpty()) {
        throw new InfoReply.Refused(400, "the request ended in the middle");
      }
      byte[] part = more.get().bytes();
      System.arraycopy(part, 0, bytes, length, part.length);
      length += part.length;
    }
    return InfoRequest.parse(bytes, length);
  }

  @Override
  public void close() {
    listener.removeFile();
    listener.close();
  }
}
