package io.ocicat.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/** Finds free ports on the loopback address. */
public final class Loopback {
  /**
   * Below Linux's ephemeral ports. Otherwise a client that keeps connecting to a port whose server
   * is just being restarted is eventually given that very port itself, and keeps the server out.
   */
  private static final int FIRST = 10_000;

  private static final int END = 32_000;
  private static final int ATTEMPTS = 1_000;

  private Loopback() {}

  /** A port that nobody listens on. */
  public static int freePort() {
    return freePorts(1).getFirst();
  }

  /** As many different ones. */
  static List<Integer> freePorts(int count) {
    List<ServerSocket> held = new ArrayList<>();
    try {
      try {
        for (int attempt = 0; held.size() < count && attempt < ATTEMPTS; attempt++) {
          hold(ThreadLocalRandom.current().nextInt(FIRST, END), held);
        }
        if (held.size() < count) {
          throw new TestkitException(
              "no port between %d and %d is free on loopback".formatted(FIRST, END - 1));
        }
        return held.stream().map(ServerSocket::getLocalPort).toList();
      } finally {
        for (ServerSocket socket : held) {
          socket.close();
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void hold(int port, List<ServerSocket> held) {
    try {
      held.add(new ServerSocket(port, 1, InetAddress.getLoopbackAddress()));
    } catch (IOException _) {
      // Taken: another one.
    }
  }
}
