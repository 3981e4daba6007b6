package io.ocicat.testkit;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** A separate JVM that opens a host and prints its name; then it waits to be ended. */
final class AnotherTestRun {

  private AnotherTestRun() {}

  public static void main(String[] args) throws InterruptedException {
    Host host = Host.open();
    host.start("sleep", "600");
    System.out.println(host.name());
    new CountDownLatch(1).await();
  }

  /**
   * Starts one, through the given command if there is any. What it leaves behind when it is killed
   * is in the given directory.
   */
  static Background start(Path scratch, String... front) {
    List<String> argv = new ArrayList<>(List.of(front));
    argv.add(System.getProperty("java.home") + "/bin/java");
    argv.addAll(List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
    argv.add("-Djava.io.tmpdir=" + scratch);
    argv.addAll(List.of("-cp", System.getProperty("java.class.path")));
    argv.add(AnotherTestRun.class.getName());
    return Command.of(argv).start();
  }

  /** The name of its host, once it has one. */
  static String hostOf(Background run) {
    Eventually.await(
        "a host of the other run",
        Duration.ofSeconds(60),
        () -> run.stdout().endsWith("\n") || !run.isAlive());
    if (!run.isAlive()) {
      throw new AssertionError("the other run ended early:\n" + run.stderr());
    }
    return run.stdout().strip();
  }
}
