package io.ocicat.cri.streaming;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;

/** Copies between a stream of a client and a socket, and passes the end of each direction on. */
final class SocketCopy {
  private static final int BUFFER = 16 << 10;

  private SocketCopy() {}

  /**
   * Returns when both directions have ended.
   *
   * @param toClient closed when the socket has sent everything
   * @throws IOException when one of both broke; the socket is closed then
   */
  static void run(InputStream fromClient, OutputStream toClient, Socket socket) throws IOException {
    Thread upwards =
        Thread.ofVirtual()
            .name("cri-forward")
            .start(
                () -> {
                  try {
                    copy(fromClient, socket.getOutputStream());
                    socket.shutdownOutput();
                  } catch (IOException _) {
                    closeQuietly(socket);
                  }
                });
    try {
      copy(socket.getInputStream(), toClient);
      toClient.close();
      upwards.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      closeQuietly(socket);
    }
  }

  private static void copy(InputStream in, OutputStream out) throws IOException {
    byte[] buffer = new byte[BUFFER];
    for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
      out.write(buffer, 0, count);
      out.flush();
    }
  }

  private static void closeQuietly(Socket socket) {
    try {
      socket.close();
    } catch (IOException _) {
      // Nobody uses it any more.
    }
  }
}
