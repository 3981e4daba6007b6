package io.ocicat.netlink.linux;

/** Lets a thread work only when nobody else wants to: nice 19. */
public final class LowPriority {
  private static final int THIS_THREAD = 0;
  private static final int NICEST = 19;

  private LowPriority() {}

  /**
   * For the rest of the calling thread's life, and for threads that it starts. Linux has a priority
   * for each thread, and a platform thread is one of the kernel's.
   */
  public static void ofThisThread() {
    Kernel.call(Syscall.SETPRIORITY, 0, THIS_THREAD, NICEST);
  }
}
