package io.ocicat.sandbox.container.conmon;

import io.ocicat.netlink.linux.PseudoTerminal;
import io.ocicat.sandbox.container.ContainerIo;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;

/**
 * A command in a container with a terminal. The runtime runs in the foreground on a terminal of
 * ours, and copies between that and the terminal inside, sizes included.
 */
final class TerminalIo implements ContainerIo {
  /**
   * The leader of a new session gets the first terminal that it opens. Were it opened here, it
   * could become that of this process.
   */
  private static final String ON_TERMINAL = "exec <\"$0\" >\"$0\" 2>&1; exec \"$@\"";

  private final PseudoTerminal terminal;
  private final Process process;

  private TerminalIo(PseudoTerminal terminal, Process process) {
    this.terminal = terminal;
    this.process = process;
  }

  static TerminalIo start(List<String> argv, Runnable whenEnded) throws IOException {
    PseudoTerminal terminal = PseudoTerminal.open();
    try {
      List<String> all = new ArrayList<>(List.of("setsid", "-w", "sh", "-c", ON_TERMINAL));
      all.add(terminal.slave().toString());
      all.addAll(argv);
      Process process =
          new ProcessBuilder(all)
              .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")))
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
      var _ = process.onExit().thenRun(whenEnded);
      return new TerminalIo(terminal, process);
    } catch (IOException | RuntimeException e) {
      terminal.close();
      throw e;
    }
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
        if (!terminal.write(bytes, offset, length)) {
          throw new IOException("the terminal was closed");
        }
      }
    };
  }

  @Override
  public InputStream stdout() {
    return new InputStream() {
      @Override
      public int read() {
        byte[] one = new byte[1];
        return terminal.read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
      }

      @Override
      public int read(byte[] into, int offset, int length) {
        return length == 0 ? 0 : terminal.read(into, offset, length);
      }
    };
  }

  @Override
  public InputStream stderr() {
    return InputStream.nullInputStream();
  }

  @Override
  public void resize(int width, int height) {
    terminal.resize(width, height);
  }

  @Override
  public int await() throws InterruptedException {
    return process.waitFor();
  }

  @Override
  public void close() {
    terminal.close();
  }
}
