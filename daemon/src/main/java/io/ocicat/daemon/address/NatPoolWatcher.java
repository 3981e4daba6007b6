package io.ocicat.daemon.address;

import java.util.function.Consumer;

/**
 * Keeps this host's masquerade rules in step with Calico's IP pools while the daemon runs. A check
 * costs one kernel request. For one thread.
 */
public final class NatPoolWatcher {
  /** Who knows the pools and what is masqueraded. */
  @FunctionalInterface
  public interface Pools {
    /**
     * Looks at them once.
     *
     * @param thorough whether to look also at what changes rarely
     * @param note is told what could not be done
     */
    void follow(boolean thorough, Consumer<String> note);
  }

  /** The daemon calls every 400 ms; a pool may wait for two seconds. */
  private static final int CALLS_PER_UPDATE = 5;

  private final Pools pools;
  private int calls;
  private String trouble = "";

  public NatPoolWatcher(Pools pools) {
    this.pools = pools;
  }

  /** Runs every few hundred milliseconds. */
  public void update(Consumer<String> note) {
    if (++calls % CALLS_PER_UPDATE == 0) {
      follow(false, note);
    }
  }

  /** Runs once a minute. */
  public void updateFully(Consumer<String> note) {
    follow(true, note);
  }

  private void follow(boolean thorough, Consumer<String> note) {
    StringBuilder said = new StringBuilder();
    pools.follow(thorough, said::append);
    // What goes wrong every time is said once.
    String now = said.toString();
    if (!now.isEmpty() && !now.equals(trouble)) {
      note.accept(now);
    }
    trouble = now;
  }
}
