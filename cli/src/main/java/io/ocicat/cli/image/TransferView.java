package io.ocicat.cli.image;

import io.ocicat.cli.terminal.TerminalWidth;
import io.ocicat.image.Digest;
import io.ocicat.image.PullEvent;
import io.ocicat.image.PullEvent.LayerState;
import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * Shows a pull on standard error: on a terminal one line that changes, elsewhere a line for each
 * retry only, so that logs stay short. Thread-safe.
 */
final class TransferView implements PullEvent.Listener, AutoCloseable {
  private static final long EVERY_NANOS = 100_000_000;
  private static final int SHORT_ID = 12;
  private static final String[] UNITS = {"B", "kB", "MB", "GB", "TB"};

  private final PrintWriter err;
  private final boolean terminal;
  private final int width;
  private final Map<Digest, PullEvent.Layer> layers = new LinkedHashMap<>();
  private long total;
  private int count;
  private long shown = System.nanoTime() - EVERY_NANOS;
  private boolean open;

  TransferView(PrintWriter err) {
    this(err, TerminalWidth.ofStandardError());
  }

  /**
   * @param columns of the terminal; empty if there is none
   */
  TransferView(PrintWriter err, Optional<Integer> columns) {
    this.err = err;
    this.terminal = columns.isPresent();
    this.width = columns.orElse(0);
  }

  @Override
  public synchronized void on(PullEvent event) {
    switch (event) {
      case PullEvent.Resolved resolved -> {
        total = resolved.bytes();
        count = resolved.layers();
        show(true);
      }
      case PullEvent.Layer layer -> {
        PullEvent.Layer before = layers.put(layer.digest(), layer);
        show(before == null || before.state() != layer.state());
      }
      case PullEvent.Retry retry -> {
        clear();
        err.println(
            "ocicat: %s: %s; again in %d ms"
                .formatted(retry.what(), retry.why(), retry.delay().toMillis()));
        err.flush();
      }
      case PullEvent.Done _ -> clear();
    }
  }

  private void show(boolean atOnce) {
    long now = System.nanoTime();
    if (!terminal || (!atOnce && now - shown < EVERY_NANOS)) {
      return;
    }
    shown = now;
    long done = layers.values().stream().mapToLong(PullEvent.Layer::done).sum();
    long complete =
        layers.values().stream().filter(layer -> layer.state() == LayerState.COMPLETE).count();
    String unpacking =
        layers.values().stream()
            .filter(layer -> layer.state() == LayerState.UNPACKING)
            .findFirst()
            .map(layer -> ", unpacking " + layer.digest().hex().substring(0, SHORT_ID))
            .orElse("");
    String line =
        "%s of %s, %d of %d layers%s"
            .formatted(
                bytes(done),
                bytes(Math.max(done, total)),
                complete,
                Math.max(count, layers.size()),
                unpacking);
    err.print("\r\u001b[K" + line.substring(0, Math.min(line.length(), width - 1)));
    err.flush();
    open = true;
  }

  private void clear() {
    if (open) {
      err.print("\r\u001b[K");
      err.flush();
      open = false;
    }
  }

  /** For people: three digits and a unit of powers of ten. */
  static String bytes(long bytes) {
    double value = bytes;
    int unit = 0;
    while (value >= 999.5 && unit < UNITS.length - 1) {
      value /= 1000;
      unit++;
    }
    return unit == 0 || value >= 99.5
        ? "%.0f %s".formatted(value, UNITS[unit])
        : String.format(Locale.ROOT, "%.1f %s", value, UNITS[unit]);
  }

  @Override
  public synchronized void close() {
    clear();
  }
}
