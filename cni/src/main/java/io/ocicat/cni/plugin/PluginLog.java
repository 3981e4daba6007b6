package io.ocicat.cni.plugin;

import java.util.function.Consumer;

/** What a plugin writes to stderr: told at once, and kept in a bounded amount. Thread-safe. */
final class PluginLog {
  private static final int MAX_CHARS = 1 << 20;

  private final Consumer<String> live;
  private final StringBuilder kept = new StringBuilder();

  PluginLog(Consumer<String> live) {
    this.live = live;
  }

  void line(String text) {
    write(text + "\n");
  }

  synchronized void write(String text) {
    live.accept(text);
    kept.append(text);
    if (kept.length() > MAX_CHARS) {
      kept.delete(0, kept.length() - MAX_CHARS / 2);
    }
  }

  synchronized String text() {
    return kept.toString();
  }
}
