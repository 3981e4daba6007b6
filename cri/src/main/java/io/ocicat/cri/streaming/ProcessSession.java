package io.ocicat.cri.streaming;

import io.ocicat.base.json.JsonReader;
import io.ocicat.base.json.JsonReader.DuplicateKeys;
import io.ocicat.base.json.JsonSyntaxException;
import io.ocicat.sandbox.SandboxException;
import io.ocicat.sandbox.container.ContainerIo;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * Connects a client with a process until one of them ends. The process may leave children that hold
 * its outputs: the session ends with the process, once they are silent.
 *
 * <p>Pumps are platform threads, because the streams of a terminal block those who use them.
 */
final class ProcessSession {
  private static final int BUFFER = 32 << 10;
  private static final int LONGEST_RESIZE = 1024;
  private static final long SILENT_NANOS = Duration.ofMillis(200).toNanos();
  private static final long LATEST_NANOS = Duration.ofSeconds(5).toNanos();
  private static final JsonReader JSON =
      new JsonReader(LONGEST_RESIZE, 64, DuplicateKeys.LAST_COUNTS);

  private final StreamingRequest.OfProcess request;
  private final ProcessPeer peer;
  private final AtomicLong lastOutput = new AtomicLong();
  private @Nullable ContainerIo io;
  private boolean gone;

  ProcessSession(StreamingRequest.OfProcess request, ProcessPeer peer) {
    this.request = request;
    this.peer = peer;
  }

  /** Returns when the process has ended and the client was told, or has gone. */
  void run(Supplier<ContainerIo> start) throws IOException {
    ProcessOutcome outcome;
    try (ContainerIo process = start.get()) {
      outcome = new ProcessOutcome.Exited(serve(process));
    } catch (SandboxException e) {
      outcome = new ProcessOutcome.Failed(SandboxException.text(e));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      outcome = new ProcessOutcome.Failed("the server is stopping");
    }
    peer.finish(outcome);
  }

  private int serve(ContainerIo process) throws InterruptedException {
    synchronized (this) {
      io = process;
      if (gone) {
        process.close();
      }
    }
    if (request.stdin()) {
      pump("stdin", () -> copyInput(process.stdin()));
    }
    if (request.tty()) {
      pump("resize", () -> resize(process));
    }
    Thread stdout = pump("stdout", () -> copyOutput(process.stdout(), peer.stdout()));
    Thread stderr = pump("stderr", () -> copyOutput(process.stderr(), peer.stderr()));
    int code = process.await();
    awaitSilence(stdout, stderr);
    return code;
  }

  /** The client has gone: the process finds the end of its input, and may go on. */
  synchronized void disconnected() {
    gone = true;
    if (io != null) {
      io.close();
    }
  }

  private interface Pump {
    void run() throws IOException;
  }

  private Thread pump(String name, Pump pump) {
    return Thread.ofPlatform()
        .daemon()
        .name("cri-" + name)
        .start(
            () -> {
              try {
                pump.run();
              } catch (IOException _) {
                // One of both sides has gone, which the other pumps and the session notice.
              }
            });
  }

  private void copyInput(OutputStream target) throws IOException {
    try (target) {
      copy(peer.stdin(), target);
    }
  }

  private static void copy(InputStream in, OutputStream out) throws IOException {
    byte[] buffer = new byte[BUFFER];
    for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
      out.write(buffer, 0, count);
      out.flush();
    }
  }

  /** Goes on reading when the client does not, so that nothing waits for it. */
  private void copyOutput(InputStream in, OutputStream out) throws IOException {
    byte[] buffer = new byte[BUFFER];
    boolean open = true;
    for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
      lastOutput.set(System.nanoTime());
      try {
        if (open) {
          out.write(buffer, 0, count);
        }
      } catch (IOException _) {
        open = false;
      }
    }
  }

  private void awaitSilence(Thread stdout, Thread stderr) throws InterruptedException {
    long exit = System.nanoTime();
    lastOutput.set(exit);
    for (Thread pump : new Thread[] {stdout, stderr}) {
      while (pump.isAlive()
          && System.nanoTime() - lastOutput.get() < SILENT_NANOS
          && System.nanoTime() - exit < LATEST_NANOS) {
        pump.join(Duration.ofMillis(20));
      }
    }
  }

  private void resize(ContainerIo process) throws IOException {
    ByteArrayOutputStream text = new ByteArrayOutputStream();
    InputStream in = peer.resizes();
    for (int next = in.read(); next >= 0; next = in.read()) {
      text.write(next);
      if (next == '}') {
        resize(process, text.toByteArray());
        text.reset();
      } else if (text.size() > LONGEST_RESIZE) {
        throw new IOException("a size of a terminal is too long");
      }
    }
  }

  private static void resize(ContainerIo process, byte[] text) {
    try {
      JsonNode size = JSON.parse(text);
      int width = size.path("Width").asInt(0);
      int height = size.path("Height").asInt(0);
      if (width > 0 && width <= 0xffff && height > 0 && height <= 0xffff) {
        process.resize(width, height);
      }
    } catch (JsonSyntaxException _) {
      // A client with a broken size keeps the size it has.
    }
  }
}
