package io.ocicat.sandbox.network;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.System.Logger.Level;
import java.nio.file.ClosedWatchServiceException;
import java.nio.file.Path;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Runs a check when a directory changes, and every few seconds: executables may change elsewhere,
 * and a watch misses what happens to the directory itself.
 */
final class ConfWatch implements AutoCloseable {
  private static final Duration PERIOD = Duration.ofSeconds(5);
  private static final Duration SETTLE = Duration.ofMillis(20);

  private final Path directory;
  private final Runnable check;
  private final WatchService service;
  private final Thread thread;

  ConfWatch(Path directory, Runnable check) throws IOException {
    this.directory = directory;
    this.check = check;
    this.service = directory.getFileSystem().newWatchService();
    this.thread = Thread.ofPlatform().daemon().name("cni-conf-watch").start(this::run);
  }

  private void run() {
    try {
      WatchKey key = register();
      while (!Thread.currentThread().isInterrupted()) {
        checkSafely();
        WatchKey changed = service.poll(PERIOD.toMillis(), TimeUnit.MILLISECONDS);
        if (changed != null) {
          // Several writes in a row are seen once.
          Thread.sleep(SETTLE.toMillis());
          changed.pollEvents();
          changed.reset();
        }
        if (key == null || !key.isValid()) {
          key = register();
        }
      }
    } catch (InterruptedException | ClosedWatchServiceException _) {
      // Closed.
    }
  }

  private void checkSafely() {
    try {
      check.run();
    } catch (RuntimeException e) {
      System.getLogger(ConfWatch.class.getPackageName())
          .log(Level.WARNING, "cannot check " + directory, e);
    }
  }

  private @Nullable WatchKey register() {
    try {
      return directory.register(
          service,
          StandardWatchEventKinds.ENTRY_CREATE,
          StandardWatchEventKinds.ENTRY_MODIFY,
          StandardWatchEventKinds.ENTRY_DELETE);
    } catch (IOException _) {
      // The directory does not exist yet, or no longer.
      return null;
    }
  }

  @Override
  public void close() {
    thread.interrupt();
    try {
      service.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
