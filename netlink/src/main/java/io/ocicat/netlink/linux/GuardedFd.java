package io.ocicat.netlink.linux;

import java.util.List;

/**
 * A descriptor that some threads wait on while another may close it. Closing a number that a system
 * call is about to use would let that call act on whatever file gets the number next; so the close
 * happens when the last user has left, and users are woken.
 */
final class GuardedFd {
  private final Fd fd;
  private final List<Fd> companions;
  private int users;
  private boolean closed;

  /** Owns the descriptor, and others that are to be closed with it. */
  GuardedFd(Fd fd, Fd... companions) {
    this.fd = fd;
    this.companions = List.of(companions);
  }

  /** Returns false when it is closed; else the number stays valid until {@link #leave}. */
  synchronized boolean enter() {
    if (closed) {
      return false;
    }
    users++;
    return true;
  }

  synchronized void leave() {
    users--;
    if (closed && users == 0) {
      release();
    }
  }

  /** Only between {@link #enter} and {@link #leave}. */
  int number() {
    return fd.number();
  }

  synchronized boolean isOpen() {
    return !closed;
  }

  /**
   * Closes, now or when the last user has left.
   *
   * @param wake makes users leave; must not wait
   */
  synchronized void close(Runnable wake) {
    if (closed) {
      return;
    }
    closed = true;
    if (users == 0) {
      release();
    } else {
      wake.run();
    }
  }

  private void release() {
    fd.close();
    companions.forEach(Fd::close);
  }
}
