package io.ocicat.cri.streaming;

import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The server's end of a WebSocket (RFC 6455) whose messages begin with the number of a channel. One
 * thread reads; any may write.
 */
final class WebSocketConnection {
  private static final String GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
  private static final int LARGEST_MESSAGE = 1 << 20;
  private static final int LARGEST_CONTROL = 125;
  private static final int CONTINUATION = 0;
  private static final int TEXT = 1;
  private static final int BINARY = 2;
  private static final int CLOSE = 8;
  private static final int PING = 9;
  private static final int PONG = 10;
  private static final int FIN = 0x80;
  private static final int MASKED = 0x80;
  private static final int NORMAL = 1000;

  private final DataInputStream in;
  private final OutputStream out;
  private final ReentrantLock writing = new ReentrantLock();

  /** Receives messages by their channels. */
  interface Listener {
    void message(int channel, byte[] content);
  }

  WebSocketConnection(InputStream in, OutputStream out) {
    this.in = new DataInputStream(in);
    this.out = out;
  }

  /** The answer to Sec-WebSocket-Key. */
  static String accept(String key) {
    try {
      byte[] hash =
          MessageDigest.getInstance("SHA-1")
              .digest((key + GUID).getBytes(StandardCharsets.ISO_8859_1));
      return Base64.getEncoder().encodeToString(hash);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Reads until the client closes. */
  void read(Listener listener) throws IOException {
    ByteBuffer message = ByteBuffer.allocate(0);
    while (true) {
      int first;
      try {
        first = in.readUnsignedByte();
      } catch (EOFException _) {
        return;
      }
      int second = in.readUnsignedByte();
      int code = first & 0xf;
      boolean control = code >= CLOSE;
      byte[] content = payload(second, control ? LARGEST_CONTROL : LARGEST_MESSAGE);
      switch (code) {
        case CONTINUATION, TEXT, BINARY -> {
          if (message.remaining() + content.length > LARGEST_MESSAGE) {
            throw new IOException("a message is longer than " + LARGEST_MESSAGE + " bytes");
          }
          message =
              ByteBuffer.allocate(message.remaining() + content.length)
                  .put(message)
                  .put(content)
                  .flip();
          if ((first & FIN) != 0) {
            deliver(message, listener);
            message = ByteBuffer.allocate(0);
          }
        }
        case PING -> frame(PONG, content);
        case PONG -> {}
        case CLOSE -> {
          return;
        }
        default -> throw new IOException("frame of unknown kind " + code);
      }
    }
  }

  private byte[] payload(int second, int largest) throws IOException {
    if ((second & MASKED) == 0) {
      throw new IOException("a frame is not masked");
    }
    long length = second & 0x7f;
    if (length == 126) {
      length = in.readUnsignedShort();
    } else if (length == 127) {
      length = in.readLong();
    }
    if (length < 0 || length > largest) {
      throw new IOException("a frame has %d bytes, at most %d are read".formatted(length, largest));
    }
    byte[] mask = new byte[4];
    in.readFully(mask);
    byte[] content = new byte[(int) length];
    in.readFully(content);
    for (int i = 0; i < content.length; i++) {
      content[i] ^= mask[i & 3];
    }
    return content;
  }

  private static void deliver(ByteBuffer message, Listener listener) {
    if (message.hasRemaining()) {
      int channel = message.get() & 0xff;
      byte[] content = new byte[message.remaining()];
      message.get(content);
      listener.message(channel, content);
    }
  }

  void send(int channel, byte[] content) throws IOException {
    byte[] message = new byte[content.length + 1];
    message[0] = (byte) channel;
    System.arraycopy(content, 0, message, 1, content.length);
    frame(BINARY, message);
  }

  /** Says that nothing more comes. */
  void close() throws IOException {
    frame(CLOSE, ByteBuffer.allocate(2).putShort((short) NORMAL).array());
  }

  private void frame(int code, byte[] content) throws IOException {
    ByteBuffer head = ByteBuffer.allocate(10).put((byte) (FIN | code));
    if (content.length <= LARGEST_CONTROL) {
      head.put((byte) content.length);
    } else if (content.length <= 0xffff) {
      head.put((byte) 126).putShort((short) content.length);
    } else {
      head.put((byte) 127).putLong(content.length);
    }
    writing.lock();
    try {
      out.write(head.array(), 0, head.position());
      out.write(content);
      out.flush();
    } finally {
      writing.unlock();
    }
  }

  /** A channel to write to. Closing it does nothing: only the client's input can be closed. */
  OutputStream channel(int number) {
    return new OutputStream() {
      @Override
      public void write(int one) throws IOException {
        send(number, new byte[] {(byte) one});
      }

      @Override
      public void write(byte[] bytes, int start, int length) throws IOException {
        byte[] content = new byte[length];
        System.arraycopy(bytes, start, content, 0, length);
        send(number, content);
      }
    };
  }
}
