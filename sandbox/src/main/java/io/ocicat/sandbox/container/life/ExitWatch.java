package io.ocicat.sandbox.container.life;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.ClosedWatchServiceException;
import java.nio.file.Path;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchEvent;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Notices the exit codes that monitors write. Because a monitor may be killed, everything that
 * should run is looked at now and then, too.
 */
final class ExitWatch implements AutoCloseable {
  private static final long INTERVAL_MILLIS = 1000;

  private final WatchService service;

  private ExitWatch(WatchService service) {
    this.service = service;
  }

  /**
   * @param exited called with the id of a container that has exited
   * @param all looks at all of them
   */
  static ExitWatch start(Path exits, Consumer<String> exited, Runnable all) {
    try {
      WatchService service = exits.getFileSystem().newWatchService();
      exits.register(
          service, StandardWatchEventKinds.ENTRY_CREATE, StandardWatchEventKinds.ENTRY_MODIFY);
      ExitWatch watch = new ExitWatch(service);
      Thread.ofVirtual().name("exits").start(() -> watch.run(exited, all));
      return watch;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void run(Consumer<String> exited, Runnable all) {
    try {
      long last = System.nanoTime();
      while (true) {
        WatchKey key = service.poll(INTERVAL_MILLIS, TimeUnit.MILLISECONDS);
        if (key == null || System.nanoTime() - last > INTERVAL_MILLIS * 1_000_000) {
          last = System.nanoTime();
          all.run();
        }
        if (key == null) {
          continue;
        }
        for (WatchEvent<?> event : key.pollEvents()) {
          if (event.context() instanceof Path file) {
            String id = file.getFileName().toString();
            Thread.ofVirtual().start(() -> exited.accept(id));
          } else {
            all.run();
          }
        }
        if (!key.reset()) {
          return;
        }
      }
    } catch (ClosedWatchServiceException _) {
      // Closed by us.
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    try {
      service.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
