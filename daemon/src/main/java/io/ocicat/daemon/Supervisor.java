package io.ocicat.daemon;

/** Receives the daemon's progress on behalf of the process manager that started it. */
public interface Supervisor {
  /** A supervisor that ignores everything. */
  Supervisor NONE =
      new Supervisor() {
        @Override
        public void ready() {}

        @Override
        public void alive() {}

        @Override
        public void stopping() {}
      };

  /** The daemon has recovered and serves calls. */
  void ready();

  /** The daemon's main loop is running; called about once a second. */
  void alive();

  /** The daemon accepts no more calls. */
  void stopping();
}
