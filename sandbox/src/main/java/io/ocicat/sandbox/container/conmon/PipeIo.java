package io.ocicat.sandbox.container.conmon;

import io.ocicat.sandbox.container.ContainerIo;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.List;

/** A command in a container without a terminal: the runtime in the foreground, with three pipes. */
final class PipeIo implements ContainerIo {
  private final Process process;

  private PipeIo(Process process) {
    this.process = process;
  }

  /**
   * @param whenEnded called once the process has ended
   */
  static PipeIo start(List<String> argv, boolean stdin, Runnable whenEnded) throws IOException {
    ProcessBuilder builder = new ProcessBuilder(argv);
    if (!stdin) {
      builder.redirectInput(Path.of("/dev/null").toFile());
    }
    Process process = builder.start();
    var _ = process.onExit().thenRun(whenEnded);
    return new PipeIo(process);
  }

  /** Passes on at once what is written: a person may be typing. */
  @Override
  public OutputStream stdin() {
    return new FilterOutputStream(process.getOutputStream()) {
      @Override
      public void write(byte[] bytes, int offset, int length) throws IOException {
        out.write(bytes, offset, length);
        out.flush();
      }
    };
  }

  @Override
  public InputStream stdout() {
    return process.getInputStream();
  }

  @Override
  public InputStream stderr() {
    return process.getErrorStream();
  }

  @Override
  public void resize(int width, int height) {
    // There is no terminal.
  }

  @Override
  public int await() throws InterruptedException {
    return process.waitFor();
  }

  /** The process goes on, but finds its input at its end and nobody who reads. */
  @Override
  public void close() {
    for (AutoCloseable each : List.of(stdin(), stdout(), stderr())) {
      try {
        each.close();
      } catch (Exception _) {
        // The process has ended meanwhile.
      }
    }
  }
}
