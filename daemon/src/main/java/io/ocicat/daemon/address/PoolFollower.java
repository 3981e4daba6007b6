package io.ocicat.daemon.address;

import io.ocicat.cni.plugin.Namespaces;
import io.ocicat.plugins.calico.CalicoPlugin;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Keeps what is masqueraded on this host what Calico's pools say, as long as the daemon runs. A
 * look costs a question of the kernel. For one thread.
 */
public final class PoolFollower {
  /** The daemon looks every 400 ms; a pool may wait for two seconds. */
  private static final int LOOKS = 5;

  private final Supplier<Optional<CalicoPlugin>> plugin;
  private int looks;
  private String trouble = "";

  public PoolFollower(Supplier<Optional<CalicoPlugin>> plugin) {
    this.plugin = plugin;
  }

  /** Every few hundred milliseconds. */
  public void look(Consumer<String> note) {
    if (++looks % LOOKS == 0) {
      follow(false, note);
    }
  }

  /** Once a minute. */
  public void lookThoroughly(Consumer<String> note) {
    follow(true, note);
  }

  private void follow(boolean thorough, Consumer<String> note) {
    StringBuilder said = new StringBuilder();
    plugin
        .get()
        .ifPresent(
            calico ->
                calico.followPools(
                    Namespaces.OWN.host(), thorough, sentence -> said.append(sentence)));
    // What goes wrong every time is said once.
    String now = said.toString();
    if (!now.isEmpty() && !now.equals(trouble)) {
      note.accept(now);
    }
    trouble = now;
  }
}
