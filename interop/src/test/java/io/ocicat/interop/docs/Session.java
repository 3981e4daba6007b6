package io.ocicat.interop.docs;

import java.util.List;

/** Writes the script of the lab's shell: it reads each block's file, with its output in another. */
final class Session {
  private static final String START =
      """
      set -eE
      trap 'echo $LINENO >"$LAB_RESULTS/$LAB_BLOCK.failed"' ERR
      """;

  /** Ends what is typed into a shell that a block opened. */
  private static final String END = "LAB_END_OF_SHELL";

  private Session() {}

  static String of(List<Block> blocks) {
    StringBuilder session = new StringBuilder(START);
    int opened = -1;
    for (int number = 0; number < blocks.size(); number++) {
      Block block = blocks.get(number);
      if (opened >= 0 && block.closesShell()) {
        session.append(END).append('\n').append(succeeded(opened)).append(succeeded(number));
        opened = -1;
        continue;
      }
      session.append(
          "LAB_BLOCK=%1$d; . \"$LAB_RESULTS/%1$d.sh\" >\"$LAB_RESULTS/%1$d.out\" 2>&1"
              .formatted(number));
      if (block.opensShell()) {
        opened = number;
        session.append(" <<'").append(END).append("'\n").append(START);
      } else if (block.exitCode() == 0) {
        session.append(" </dev/null; ").append(succeeded(number));
      } else {
        session.append(" </dev/null || echo $? >\"$LAB_RESULTS/%d.code\"\n".formatted(number));
      }
    }
    if (opened >= 0) {
      throw new IllegalArgumentException("a block opens a shell, and none ends it with exit");
    }
    return session.toString();
  }

  private static String succeeded(int number) {
    return "touch \"$LAB_RESULTS/%1$d.out\"; echo 0 >\"$LAB_RESULTS/%1$d.code\"\n"
        .formatted(number);
  }
}
