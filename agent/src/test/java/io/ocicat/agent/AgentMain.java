package io.ocicat.agent;

import io.ocicat.agent.startup.NodeFiles;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;

/**
 * {@code ocicat agent} without the command line, which lives in a module above this one. Its only
 * argument is the folder for all its files; it dies where {@link DyingPoints} say so.
 */
final class AgentMain {
  private AgentMain() {}

  static void main(String[] args) throws InterruptedException {
    Path folder = Path.of(args[0]);
    DyingPoints points = new DyingPoints(folder);
    CountDownLatch stop = new CountDownLatch(1);
    CountDownLatch done = new CountDownLatch(1);
    Runtime.getRuntime()
        .addShutdownHook(
            Thread.ofPlatform()
                .unstarted(
                    () -> {
                      stop.countDown();
                      try {
                        done.await();
                      } catch (InterruptedException _) {
                        Thread.currentThread().interrupt();
                      }
                    }));
    AgentService service =
        AgentService.start(
            System.getenv(),
            folder.resolve("run"),
            System.err::println,
            new NodeFiles(folder.resolve("nodename"), folder.resolve("mtu")),
            points::around,
            points);
    try {
      stop.await();
    } finally {
      service.close();
      done.countDown();
    }
  }
}
