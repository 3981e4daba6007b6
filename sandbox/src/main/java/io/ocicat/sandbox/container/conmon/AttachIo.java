package io.ocicat.sandbox.container.conmon;

import io.ocicat.netlink.linux.NetlinkException;
import io.ocicat.netlink.linux.Received;
import io.ocicat.netlink.linux.UnixSocket;
import io.ocicat.sandbox.SandboxException;
import io.ocicat.sandbox.SandboxException.Reason;
import io.ocicat.sandbox.container.ContainerIo;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;

/**
 * A client of a container's monitor. Each message from conmon begins with a byte that says which
 * stream it is of; messages to it are input.
 */
public final class AttachIo implements ContainerIo {
  private static final int STDERR = 3;
  private static final int LARGEST_MESSAGE = 64 << 10;
  private static final int LARGEST_INPUT = 8 << 10;
  private static final Duration CONNECT_LIMIT = Duration.ofSeconds(5);
  private static final Duration FOR_EVER = Duration.ofDays(1000);

  private final Conmon conmon;
  private final String id;
  private final boolean stdin;
  private final UnixSocket socket;
  private final BytePipe stdout = new BytePipe();
  private final BytePipe stderr = new BytePipe();
  private final Thread receiver;

  private AttachIo(Conmon conmon, String id, boolean stdin, UnixSocket socket) {
    this.conmon = conmon;
    this.id = id;
    this.stdin = stdin;
    this.socket = socket;
    this.receiver = Thread.ofPlatform().daemon().name("attach " + id).unstarted(this::receive);
  }

  public static AttachIo connect(Conmon conmon, String id, boolean stdin) {
    try {
      AttachIo io = new AttachIo(conmon, id, stdin, conmon.attach(id, CONNECT_LIMIT));
      io.receiver.start();
      return io;
    } catch (NetlinkException e) {
      throw new SandboxException(
          Reason.FAILED,
          "cannot attach to container %s: %s"
              .formatted(id.substring(0, 13), SandboxException.text(e)),
          e);
    }
  }

  private void receive() {
    try {
      for (Optional<Received> message = next(); message.isPresent(); message = next()) {
        byte[] bytes = message.get().bytes();
        BytePipe pipe = bytes[0] == STDERR ? stderr : stdout;
        if (!pipe.put(Arrays.copyOfRange(bytes, 1, bytes.length))) {
          break;
        }
      }
    } catch (NetlinkException _) {
      // The container has ended, or the client was closed.
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    } finally {
      close();
    }
  }

  private Optional<Received> next() {
    return socket.receive(LARGEST_MESSAGE, 0, FOR_EVER);
  }

  @Override
  public OutputStream stdin() {
    return new OutputStream() {
      @Override
      public void write(int b) throws IOException {
        write(new byte[] {(byte) b}, 0, 1);
      }

      @Override
      public void write(byte[] bytes, int offset, int length) throws IOException {
        try {
          for (int at = offset; stdin && at < offset + length; at += LARGEST_INPUT) {
            int end = Math.min(at + LARGEST_INPUT, offset + length);
            socket.send(Arrays.copyOfRange(bytes, at, end), FOR_EVER);
          }
        } catch (NetlinkException e) {
          throw new IOException(e);
        }
      }

      @Override
      public void close() throws IOException {
        try {
          if (stdin) {
            socket.endOutput();
          }
        } catch (NetlinkException e) {
          throw new IOException(e);
        }
      }
    };
  }

  @Override
  public InputStream stdout() {
    return stdout;
  }

  @Override
  public InputStream stderr() {
    return stderr;
  }

  @Override
  public void resize(int width, int height) {
    conmon.resize(id, width, height);
  }

  @Override
  public int await() throws InterruptedException {
    receiver.join();
    return 0;
  }

  @Override
  public void close() {
    socket.close();
    stdout.end();
    stderr.end();
  }
}
