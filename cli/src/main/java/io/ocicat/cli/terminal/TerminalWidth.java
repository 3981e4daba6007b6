package io.ocicat.cli.terminal;

import io.ocicat.cli.options.NodeContext;
import io.ocicat.netlink.linux.Kernel;
import io.ocicat.netlink.linux.Syscall;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Optional;

/**
 * Finds the width of the output: from COLUMNS, else from the terminal. Files and pipes have no
 * width, so that programs that read them find each text in one line.
 */
public final class TerminalWidth {
  private static final int ENDLESS = Integer.MAX_VALUE;
  private static final int USUAL = 80;
  private static final int WIDEST = 120;

  /** Below that nothing with columns is readable. */
  private static final int LEAST = 60;

  private static final int STDOUT = 1;
  private static final int STDERR = 2;

  /** TIOCGWINSZ: rows and columns, each of two bytes, and two unused numbers. */
  private static final long GET_WINDOW_SIZE = 0x5413;

  private static final int WINDOW_SIZE_BYTES = 8;
  private static final int COLUMNS_AT = 2;

  private TerminalWidth() {}

  /** Unlimited for files and pipes. */
  public static int of(NodeContext context) {
    return columns(context).orElse(ENDLESS);
  }

  /** For prose: 80 columns for files and pipes, and no more than 120, which are hard to follow. */
  public static int forProse(NodeContext context) {
    return Math.min(columns(context).orElse(USUAL), WIDEST);
  }

  /** Of the terminal that standard error is; empty if it is none, so that nothing moves there. */
  public static Optional<Integer> ofStandardError() {
    return ofTerminal(STDERR);
  }

  private static Optional<Integer> columns(NodeContext context) {
    return context
        .variable("COLUMNS")
        .flatMap(TerminalWidth::number)
        .or(() -> ofTerminal(STDOUT))
        .map(columns -> Math.max(LEAST, columns));
  }

  private static Optional<Integer> number(String text) {
    return text.matches("[1-9][0-9]{0,4}") ? Optional.of(Integer.parseInt(text)) : Optional.empty();
  }

  private static Optional<Integer> ofTerminal(int descriptor) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment size = arena.allocate(WINDOW_SIZE_BYTES);
      if (Kernel.call(Syscall.IOCTL, descriptor, GET_WINDOW_SIZE, size.address()) != 0) {
        return Optional.empty();
      }
      int columns = Short.toUnsignedInt(size.get(ValueLayout.JAVA_SHORT, COLUMNS_AT));
      return columns == 0 ? Optional.empty() : Optional.of(columns);
    }
  }
}
