package io.ocicat.cni.plugin;

import io.ocicat.cni.CniException;
import io.ocicat.cni.CniJson;
import io.ocicat.cni.VersionNumber;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The version in a VERSION request. The specification wants it repeated in the reply, but no caller
 * is refused one: stdin may contain anything, and may be a terminal or a pipe that nobody closes.
 */
final class VersionRequest {
  private static final int MAX_BYTES = 64 * 1024;

  private VersionRequest() {}

  /** The version that stdin contains, if it arrives within that time. */
  static Optional<String> cniVersion(InputStream stdin, Duration timeout) {
    FutureTask<Optional<String>> answer = new FutureTask<>(() -> read(stdin));
    // Nothing interrupts a read from a terminal, so it must not keep the process alive.
    Thread.ofPlatform().daemon().name("reader of stdin").start(answer);
    try {
      return answer.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException | ExecutionException _) {
      return Optional.empty();
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      return Optional.empty();
    }
  }

  private static Optional<String> read(InputStream stdin) {
    try {
      String version =
          CniJson.parse(stdin.readNBytes(MAX_BYTES)).path("cniVersion").stringValue("");
      VersionNumber.parse(version);
      return Optional.of(version).filter(text -> !text.isEmpty());
    } catch (IOException | CniException _) {
      return Optional.empty();
    }
  }
}
