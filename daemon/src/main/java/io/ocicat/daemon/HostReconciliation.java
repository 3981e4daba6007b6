package io.ocicat.daemon;

import java.util.function.Consumer;

/**
 * Runs the plugins' own reconciliation of the host while the daemon runs, quickly every two seconds
 * and thoroughly once a minute. A quick one costs about one kernel request. For one thread.
 */
final class HostReconciliation {
  /** What the plugins do. */
  @FunctionalInterface
  interface Work {
    /**
     * Does it once.
     *
     * @param thorough whether to also check what changes rarely
     * @param note receives what could not be done
     */
    void run(boolean thorough, Consumer<String> note);
  }

  /** The daemon calls every 400 ms; the host may be behind for two seconds. */
  private static final int CALLS_PER_UPDATE = 5;

  private final Work work;
  private int calls;
  private String trouble = "";

  HostReconciliation(Work work) {
    this.work = work;
  }

  /** Runs every few hundred milliseconds. */
  void update(Consumer<String> note) {
    if (++calls % CALLS_PER_UPDATE == 0) {
      run(false, note);
    }
  }

  /** Runs once a minute. */
  void updateFully(Consumer<String> note) {
    run(true, note);
  }

  private void run(boolean thorough, Consumer<String> note) {
    StringBuilder said = new StringBuilder();
    work.run(thorough, said::append);
    // What goes wrong every time is said once.
    String now = said.toString();
    if (!now.isEmpty() && !now.equals(trouble)) {
      note.accept(now);
    }
    trouble = now;
  }
}
