package io.ocicat.cni.plugin;

import java.util.function.Consumer;

/** The stderr output of a plugin: forwarded at once, and kept up to a limit. Thread-safe. */
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
