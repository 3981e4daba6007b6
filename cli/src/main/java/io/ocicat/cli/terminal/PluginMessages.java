package io.ocicat.cli.terminal;

import io.ocicat.cni.exec.Invocation;
import io.ocicat.cni.exec.PluginInvoker;
import java.io.PrintWriter;
import java.util.regex.Pattern;

/**
 * Collects the standard error of plugins while a command calls them. It is shown when the command
 * has succeeded, except routine log lines: when it fails, the error says what went wrong, and
 * should not be buried among log lines. With {@code OCICAT_DEBUG=1} everything is shown at once.
 */
public final class PluginMessages implements PluginInvoker.Stderr {
  private static final int MOST = 1 << 20;

  /** What Calico's plugins log routinely, as in {@code 2026-… [INFO][73] cni-plugin/…}. */
  private static final Pattern ROUTINE =
      Pattern.compile("(?m)^\\d{4}-\\d\\d-\\d\\d \\S+ \\[(INFO|DEBUG)]\\[.*\\R?");

  private final PrintWriter err;
  private final boolean debug;
  private final StringBuilder kept = new StringBuilder();

  public PluginMessages(PrintWriter err, boolean debug) {
    this.err = err;
    this.debug = debug;
  }

  @Override
  public synchronized void accept(Invocation invocation, String text) {
    if (debug) {
      err.print(text);
      err.flush();
    } else if (kept.length() < MOST) {
      kept.append(text);
    }
  }

  /** For commands that have succeeded. */
  public synchronized void show() {
    err.print(ROUTINE.matcher(kept).replaceAll(""));
    err.flush();
    kept.setLength(0);
  }
}
