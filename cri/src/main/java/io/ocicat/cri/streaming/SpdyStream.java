package io.ocicat.cri.streaming;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.Map;

/** One stream that a client opened. */
final class SpdyStream {
  private static final int LARGEST_FRAME = 16 << 10;

  private final SpdyConnection connection;
  private final int id;
  private final Map<String, String> headers;
  private final BytePipe input = new BytePipe();
  private boolean received;
  private boolean sent;

  SpdyStream(SpdyConnection connection, int id, Map<String, String> headers) {
    this.connection = connection;
    this.id = id;
    this.headers = Map.copyOf(headers);
  }

  int id() {
    return id;
  }

  /** Names are in lower case; empty when absent. */
  String header(String name) {
    return headers.getOrDefault(name, "");
  }

  void received(byte[] bytes, boolean last) {
    input.write(bytes);
    if (last) {
      input.end();
      ended(true);
    }
  }

  /** The client reset it, or the connection has ended. */
  void broken() {
    input.fail();
  }

  InputStream input() {
    return input;
  }

  /** Closing it ends this direction only. */
  OutputStream output() {
    return new OutputStream() {
      @Override
      public void write(int one) throws IOException {
        write(new byte[] {(byte) one}, 0, 1);
      }

      @Override
      public void write(byte[] bytes, int start, int length) throws IOException {
        for (int at = start; at < start + length; at += LARGEST_FRAME) {
          int end = Math.min(start + length, at + LARGEST_FRAME);
          connection.data(id, Arrays.copyOfRange(bytes, at, end), false);
        }
      }

      @Override
      public void close() throws IOException {
        if (ended(false)) {
          connection.data(id, new byte[0], true);
        }
      }
    };
  }

  /** Ends both directions; the client sees a failure, and other streams see nothing. */
  void reset() throws IOException {
    input.close();
    connection.reset(id);
  }

  /** Forgets the stream when both directions have ended; returns whether this one was open. */
  private synchronized boolean ended(boolean receiving) {
    boolean open = receiving ? !received : !sent;
    if (receiving) {
      received = true;
    } else {
      sent = true;
    }
    if (received && sent) {
      connection.forget(id);
    }
    return open;
  }
}
