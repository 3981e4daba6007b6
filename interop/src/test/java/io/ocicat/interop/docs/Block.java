package io.ocicat.interop.docs;

import java.util.List;
import java.util.Optional;

/**
 * One block of code in a page.
 *
 * @param kind what the fence says: {@code sh}, {@code json}, …
 * @param options the rest of the fence, which readers do not see
 * @param line of its first line in the page, from 1 on
 * @param notRun why it cannot be run here, from a comment before it
 * @param follows whether only blank lines are between it and the block before
 */
record Block(
    String kind,
    String options,
    int line,
    List<String> lines,
    Optional<String> notRun,
    boolean follows) {

  Block {
    lines = List.copyOf(lines);
  }

  String text() {
    return String.join("\n", lines) + "\n";
  }

  /** Whether a reader types it. */
  boolean isRun() {
    return kind.equals("sh") && notRun.isEmpty();
  }

  /**
   * {@code opens} on the fence says that its last command is a shell, which the next blocks are
   * typed into.
   */
  boolean opensShell() {
    return options.equals("opens");
  }

  /** What ends such a shell. */
  boolean closesShell() {
    return text().equals("exit\n");
  }

  /** {@code exit=1} on the fence says that its last command is to fail with this code. */
  int exitCode() {
    return options.startsWith("exit=") ? Integer.parseInt(options.substring(5)) : 0;
  }
}
