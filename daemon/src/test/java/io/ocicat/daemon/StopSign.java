package io.ocicat.daemon;

import io.ocicat.testkit.Eventually;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.UUID;

/** The test's side of {@link StoppingPoints}. */
record StopSign(Path control) {
  void stopAt(int point) {
    try {
      Path draft = control.resolve("draft");
      Files.writeString(draft, point + " " + UUID.randomUUID());
      Files.deleteIfExists(control.resolve("go"));
      Files.deleteIfExists(control.resolve("passed"));
      Files.move(draft, control.resolve("stop-at"), StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Waits until a process has reached the point, and returns which it is. */
  String awaitReached() {
    Eventually.await(
        "a process to reach the crash point",
        Duration.ofSeconds(60),
        () -> Files.exists(control.resolve("reached")));
    return read("reached");
  }

  /** The process that stands there stays, and dies there: later ones pass. */
  void letOthersPass() {
    try {
      Files.deleteIfExists(control.resolve("stop-at"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  List<String> passed() {
    return read("passed").lines().toList();
  }

  /** Lets the process that stands there go on, and none stop there again. */
  void remove() {
    try {
      Files.deleteIfExists(control.resolve("stop-at"));
      Files.deleteIfExists(control.resolve("reached"));
      Files.writeString(control.resolve("go"), "");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private String read(String name) {
    try {
      return Files.exists(control.resolve(name)) ? Files.readString(control.resolve(name)) : "";
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
