package io.ocicat.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.testkit.Background;
import io.ocicat.testkit.Command;
import io.ocicat.testkit.Eventually;
import io.ocicat.testkit.Output;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;

/** A test's ocicatd process. Closing kills it. */
final class DaemonProcess implements AutoCloseable {
  private static final Duration START = Duration.ofSeconds(60);

  private final Background process;

  DaemonProcess(Background process) {
    this.process = process;
  }

  DaemonProcess awaitServing() {
    Eventually.await(
        "the daemon to serve, which says: " + log(),
        START,
        () -> log().contains("serving at") || !process.isAlive());
    if (!process.isAlive()) {
      throw new AssertionError("the daemon has ended: " + log());
    }
    return this;
  }

  long pid() {
    return process.pid();
  }

  String log() {
    // What the JVM says of its own end comes on stdout.
    return process.stderr() + process.stdout();
  }

  /** Waits for it: a daemon logs a call after it has answered it. */
  void awaitLogged(String text) {
    Eventually.passes(Duration.ofSeconds(10), () -> assertThat(log()).contains(text));
  }

  boolean isAlive() {
    return process.isAlive();
  }

  void kill() {
    signal("KILL");
    Eventually.await("the daemon's end", () -> !process.isAlive());
  }

  /** SIGTERM; it finishes the calls in progress. */
  Output stop() {
    return process.stop(Duration.ofSeconds(60));
  }

  void signal(String name) {
    Command.of("kill", "-" + name, Long.toString(pid())).run();
  }

  int descriptors() {
    try (Stream<Path> open = Files.list(Path.of("/proc", Long.toString(pid()), "fd"))) {
      return (int) open.count();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    if (process.isAlive() && log().contains("stuck=")) {
      System.out.println(log());
    }
    process.close();
  }
}
