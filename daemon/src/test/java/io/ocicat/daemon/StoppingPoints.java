package io.ocicat.daemon;

import io.ocicat.base.CrashPoints;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;

/**
 * Pauses at the n-th crash point, so that a test can kill the process there: n is in the file
 * {@code stop-at}; {@code reached} appears when it is, and it goes on once there is {@code go}.
 * Counts from the moment that the file has this content. {@code passed} names the points passed so
 * far.
 */
final class StoppingPoints implements CrashPoints {
  private static final Duration LONGEST = Duration.ofSeconds(60);

  private final Path control;
  private String sign = "";
  private int passed;

  StoppingPoints(Path control) {
    this.control = control;
  }

  @Override
  public void pass(String point) {
    try {
      if (!isReached(point)) {
        return;
      }
      Files.writeString(control.resolve("reached"), point);
      long deadline = System.nanoTime() + LONGEST.toNanos();
      while (Files.notExists(control.resolve("go"))) {
        if (System.nanoTime() > deadline) {
          throw new IllegalStateException("nobody killed this process, or let it go on");
        }
        Thread.sleep(1);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private synchronized boolean isReached(String point) throws IOException {
    String wanted;
    try {
      wanted = Files.readString(control.resolve("stop-at"));
    } catch (NoSuchFileException _) {
      return false;
    }
    passed = wanted.equals(sign) ? passed + 1 : 1;
    sign = wanted;
    Files.writeString(
        control.resolve("passed"),
        point + "\n",
        StandardOpenOption.CREATE,
        StandardOpenOption.APPEND);
    return passed == Integer.parseInt(wanted.substring(0, wanted.indexOf(' ')));
  }
}
