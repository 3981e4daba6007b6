package io.ocicat.netlink.linux;

/** Lowers the priority of a thread to nice 19, so that it runs only when nothing else does. */
public final class LowPriority {
  private static final int THIS_THREAD = 0;
  private static final int NICEST = 19;

  private LowPriority() {}

  /**
   * For the rest of the calling thread's life, and for threads that it starts. Linux priorities are
   * per thread, and a platform thread is a kernel thread.
   */
  public static void ofThisThread() {
    Kernel.call(Syscall.SETPRIORITY, 0, THIS_THREAD, NICEST);
  }
}
