package io.ocicat.cli.demo;

import java.io.PrintWriter;
import java.util.concurrent.CountDownLatch;

/** Tears the demo's node or cluster down when the user interrupts the demo. */
final class DemoInterrupt {
  private final Thread hook;

  private DemoInterrupt(Runnable tearDown, PrintWriter err) {
    hook =
        Thread.ofPlatform()
            .name("interruption")
            .unstarted(
                () -> {
                  tearDown.run();
                  err.println("ocicat: interrupted; everything is taken down, nothing is left");
                });
  }

  static DemoInterrupt closing(Runnable tearDown, PrintWriter err) {
    DemoInterrupt interruption = new DemoInterrupt(tearDown, err);
    Runtime.getRuntime().addShutdownHook(interruption.hook);
    return interruption;
  }

  /**
   * Does not return once the node is being torn down: whatever fails then fails for that reason.
   */
  void disarm() {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException _) {
      waitForTheEnd();
    }
  }

  /** The process ends when its hooks have. */
  private static void waitForTheEnd() {
    try {
      new CountDownLatch(1).await();
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }
}
