package io.ocicat.daemon;

/** Whoever started the daemon and wants to know how it is getting on. */
public interface Supervisor {
  /** Nobody in particular. */
  Supervisor NONE =
      new Supervisor() {
        @Override
        public void ready() {}

        @Override
        public void alive() {}

        @Override
        public void stopping() {}
      };

  /** It has recovered and serves calls. */
  void ready();

  /** It goes round its loop, told about once a second. */
  void alive();

  /** It takes no more calls. */
  void stopping();
}
