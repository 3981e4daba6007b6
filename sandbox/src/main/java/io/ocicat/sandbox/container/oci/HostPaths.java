package io.ocicat.sandbox.container.oci;

import io.ocicat.base.Quoted;
import io.ocicat.sandbox.SandboxException;
import io.ocicat.sandbox.SandboxException.Reason;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Looks at files of the host with a time limit. A file system whose server is gone lets nobody who
 * looks at it continue; then the creation of one container fails, and no lock is held for hours.
 */
public final class HostPaths {
  private static final Duration LIMIT = Duration.ofSeconds(10);

  private HostPaths() {}

  /** Follows links to the file itself. */
  public static Path resolve(String path) {
    CompletableFuture<Path> real = new CompletableFuture<>();
    // A thread of its own: nothing ends one that waits in the kernel.
    Thread.ofPlatform()
        .daemon()
        .name("look at " + path)
        .start(
            () -> {
              try {
                real.complete(Path.of(path).toRealPath());
              } catch (IOException | RuntimeException e) {
                real.completeExceptionally(e);
              }
            });
    try {
      return real.get(LIMIT.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      throw failed(
          path,
          "its file system did not answer within %d s; is its server reachable?"
              .formatted(LIMIT.toSeconds()),
          e);
    } catch (ExecutionException e) {
      Throwable cause = e.getCause();
      throw failed(
          path,
          cause instanceof NoSuchFileException
              ? "it does not exist"
              : SandboxException.text(cause == null ? e : cause),
          e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw failed(path, "interrupted", e);
    }
  }

  private static SandboxException failed(String path, String why, Exception cause) {
    return new SandboxException(
        Reason.FAILED,
        "host path %s cannot be mounted: %s".formatted(Quoted.brief(path), why),
        cause);
  }
}
