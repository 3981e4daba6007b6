package io.ocicat.datastore.embedded;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.ClosedWatchServiceException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Tells the watches of all processes that something was committed: a file in a directory of its own
 * that every writer touches after its commit, and inotify. SQLite's log itself would not do: it is
 * written before the commit can be seen. A writer killed between commit and bell is made up for by
 * looking once a second, and so is inotify when the kernel has no more of it, ten times as often.
 */
final class Bell implements AutoCloseable {
  private static final Duration UNTOLD = Duration.ofSeconds(1);
  private static final Duration UNTOLD_WITHOUT_INOTIFY = Duration.ofMillis(100);

  private final Path directory;
  private final FileChannel file;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition rung = lock.newCondition();
  private long count;
  private Duration untold = UNTOLD;
  private @Nullable WatchService inotify;
  private boolean listening;
  private boolean closed;

  Bell(Path directory) throws IOException {
    this.directory = directory;
    PrivateFiles.createDirectory(directory);
    this.file =
        FileChannel.open(
            directory.resolve("ring"),
            Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS),
            PrivateFiles.FILE_MODE);
  }

  /** Wakes the watches of this process and of every other. */
  void ring() {
    wake();
    try {
      file.write(ByteBuffer.wrap(new byte[] {0}), 0);
    } catch (IOException _) {
      // The others look by themselves, a little later.
      wake();
    }
  }

  /** How often it has rung; to be asked before looking, and then waited with. */
  long count() {
    lock.lock();
    try {
      if (!listening && !closed) {
        listening = true;
        listen();
      }
      return count;
    } finally {
      lock.unlock();
    }
  }

  /** Waits until it rings again or it is time to look anyway, at most for so long. */
  void await(long seen, Duration limit) {
    lock.lock();
    try {
      long left = Math.min(limit.toNanos(), untold.toNanos());
      while (count == seen && !closed && left > 0) {
        left = rung.awaitNanos(left);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new io.ocicat.datastore.UnavailableException(
          "interrupted while watching the datastore", e);
    } finally {
      lock.unlock();
    }
  }

  /** Wakes those of this process only. */
  void wake() {
    lock.lock();
    try {
      count++;
      rung.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private void listen() {
    try {
      WatchService service = directory.getFileSystem().newWatchService();
      inotify = service;
      directory.register(service, StandardWatchEventKinds.ENTRY_MODIFY);
      Thread.ofVirtual().name("datastore-bell").start(() -> wakeOnEvents(service));
    } catch (IOException _) {
      untold = UNTOLD_WITHOUT_INOTIFY;
    }
  }

  private void wakeOnEvents(WatchService service) {
    try {
      while (true) {
        WatchKey key = service.poll(1, TimeUnit.HOURS);
        if (key != null) {
          key.pollEvents();
          key.reset();
          wake();
        }
      }
    } catch (ClosedWatchServiceException _) {
      wake();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() throws IOException {
    lock.lock();
    try {
      closed = true;
      rung.signalAll();
      if (inotify != null) {
        inotify.close();
      }
    } finally {
      lock.unlock();
    }
    file.close();
  }
}
