package io.ocicat.daemon.metrics;

import java.math.BigDecimal;

/** Writes the text format of Prometheus, version 0.0.4. Not thread-safe. */
final class Exposition {
  private final StringBuilder out = new StringBuilder(16 << 10);

  /** Writes a metric's header; its samples follow. */
  void metric(String name, String type, String help) {
    out.append("# HELP ").append(name).append(' ').append(help).append('\n');
    out.append("# TYPE ").append(name).append(' ').append(type).append('\n');
  }

  /** A metric that has one sample. */
  void single(String name, String type, String help, long value) {
    metric(name, type, help);
    sample(name, value);
  }

  /**
   * One number.
   *
   * @param labels names and values by turns
   */
  void sample(String name, long value, String... labels) {
    start(name, labels);
    out.append(value).append('\n');
  }

  void seconds(String name, long nanos, String... labels) {
    start(name, labels);
    out.append(BigDecimal.valueOf(nanos, 9).toPlainString()).append('\n');
  }

  private void start(String name, String... labels) {
    out.append(name);
    for (int i = 0; i < labels.length; i += 2) {
      out.append(i == 0 ? '{' : ',').append(labels[i]).append("=\"");
      escape(labels[i + 1]);
      out.append('"');
    }
    out.append(labels.length > 0 ? "} " : " ");
  }

  private void escape(String value) {
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      switch (c) {
        case '\\' -> out.append("\\\\");
        case '"' -> out.append("\\\"");
        case '\n' -> out.append("\\n");
        default -> out.append(c);
      }
    }
  }

  @Override
  public String toString() {
    return out.toString();
  }
}
