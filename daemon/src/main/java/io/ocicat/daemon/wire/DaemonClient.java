package io.ocicat.daemon.wire;

import io.ocicat.netlink.linux.Fd;
import io.ocicat.netlink.linux.Received;
import io.ocicat.netlink.linux.SocketType;
import io.ocicat.netlink.linux.UnixSocket;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Calls a daemon over the same protocol as the shim.
 *
 * @param limit for connecting, and for the reply once connected
 */
public record DaemonClient(Path socket, Duration limit) {
  private static final int LONGEST_ANSWER = 8 << 20;

  /**
   * Sends a request and waits for the reply.
   *
   * @return never {@link WireReply.Working}
   * @throws WireException when the reply is invalid, or does not come
   */
  public WireReply ask(WireRequest request) {
    try (UnixSocket daemon = UnixSocket.connect(socket, SocketType.STREAM, limit)) {
      int[] descriptors =
          Stream.of(request.hostNetns(), request.containerNetns())
              .flatMap(Optional::stream)
              .mapToInt(Fd::number)
              .toArray();
      daemon.send(request.bytes(), limit, descriptors);
      long deadline = System.nanoTime() + limit.toNanos();
      while (true) {
        byte[] header = receive(daemon, WireReply.HEADER, deadline);
        ByteBuffer lengths = Frames.view(header).position(WireReply.HEADER - 2 * Integer.BYTES);
        int body =
            Frames.length(lengths, LONGEST_ANSWER, "stdout")
                + Frames.length(lengths, LONGEST_ANSWER, "stderr");
        byte[] frame = Arrays.copyOf(header, header.length + body);
        System.arraycopy(receive(daemon, body, deadline), 0, frame, header.length, body);
        WireReply answer = WireReply.parse(frame);
        if (!(answer instanceof WireReply.Working)) {
          return answer;
        }
      }
    }
  }

  private byte[] receive(UnixSocket daemon, int wanted, long deadline) {
    byte[] bytes = new byte[wanted];
    int at = 0;
    while (at < wanted) {
      Duration left = Duration.ofNanos(Math.max(0, deadline - System.nanoTime()));
      Optional<Received> more = daemon.receive(wanted - at, 0, left);
      if (more.isEmpty()) {
        throw new WireException(
            "the daemon at %s ended the connection without an answer".formatted(socket));
      }
      byte[] part = more.get().bytes();
      System.arraycopy(part, 0, bytes, at, part.length);
      at += part.length;
    }
    return bytes;
  }
}
