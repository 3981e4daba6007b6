package io.ocicat.cli.demo;

import java.io.PrintWriter;
import java.util.concurrent.CountDownLatch;

/** Takes the stage down when the user does not want to wait for the end. */
final class DemoInterrupt {
  private final Thread hook;

  private DemoInterrupt(DemoNode node, PrintWriter err) {
    hook =
        Thread.ofPlatform()
            .name("interruption")
            .unstarted(
                () -> {
                  node.close();
                  err.println("ocicat: interrupted; everything is taken down, nothing is left");
                });
  }

  static DemoInterrupt closing(DemoNode node, PrintWriter err) {
    DemoInterrupt interruption = new DemoInterrupt(node, err);
    Runtime.getRuntime().addShutdownHook(interruption.hook);
    return interruption;
  }

  /**
   * Does not return once the stage is being taken down: whatever fails then fails for that reason.
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
