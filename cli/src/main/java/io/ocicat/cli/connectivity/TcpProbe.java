package io.ocicat.cli.connectivity;

import io.ocicat.ip.IpAddress;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.net.StandardProtocolFamily;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;

/** Makes a TCP connection from the calling thread's namespace, and sends full segments on it. */
final class TcpProbe {
  /** Several segments of an Ethernet's size, and few enough for any socket's buffer. */
  static final int CHUNK = 16_384;

  private static final int ROUNDS = 2;

  private TcpProbe() {}

  /** What became of the connection. */
  enum Outcome {
    /** Full segments arrived in both directions. */
    CARRIED,
    /** Nobody listens there, which the other side said itself: TCP reaches it. */
    REFUSED,
    /** It was made, and then nothing arrived. */
    STALLED,
    UNANSWERED,
    UNTRIED;

    String label() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  static Outcome run(IpAddress to, int port, Duration limit) {
    int millis = Math.toIntExact(limit.toMillis());
    try (SocketChannel channel =
        SocketChannel.open(
            to.isV4() ? StandardProtocolFamily.INET : StandardProtocolFamily.INET6)) {
      try {
        channel
            .socket()
            .connect(
                new InetSocketAddress(InetAddress.getByAddress(to.toByteArray()), port), millis);
      } catch (SocketTimeoutException _) {
        return Outcome.UNANSWERED;
      } catch (ConnectException e) {
        return String.valueOf(e.getMessage()).contains("refused")
            ? Outcome.REFUSED
            : Outcome.UNANSWERED;
      }
      channel.socket().setSoTimeout(millis);
      return carries(channel) ? Outcome.CARRIED : Outcome.STALLED;
    } catch (IOException _) {
      return Outcome.UNANSWERED;
    }
  }

  private static boolean carries(SocketChannel channel) {
    byte[] sent = new byte[CHUNK];
    Arrays.fill(sent, (byte) 'x');
    try {
      InputStream in = channel.socket().getInputStream();
      for (int round = 0; round < ROUNDS; round++) {
        channel.socket().getOutputStream().write(sent);
        if (in.readNBytes(CHUNK).length < CHUNK) {
          return false;
        }
      }
      return true;
    } catch (IOException _) {
      return false;
    }
  }
}
