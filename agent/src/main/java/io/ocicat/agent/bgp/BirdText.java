package io.ocicat.agent.bgp;

/** Writes a configuration file of BIRD: lines, and blocks in braces. */
final class BirdText {
  /** BGP's port, where no other is given. */
  static final int USUAL_PORT = 179;

  private static final String INDENT = "  ";

  private final StringBuilder text = new StringBuilder();
  private int depth;

  void line(String line) {
    text.append(INDENT.repeat(depth)).append(line).append('\n');
  }

  void open(String head) {
    line(head + " {");
    depth++;
  }

  void close() {
    close("}");
  }

  /** Ends a block inside another statement. */
  void closeChannel() {
    close("};");
  }

  private void close(String end) {
    depth--;
    line(end);
  }

  @Override
  public String toString() {
    return text.toString();
  }
}
