package io.ocicat.datastore.embedded;

import io.ocicat.datastore.error.DatastoreException;
import io.ocicat.datastore.error.UnavailableException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
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
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Wakes the watches of all processes after a commit: every writer touches a file in a directory of
 * its own, which is watched by inotify. SQLite's log itself would not do, because it is written
 * before the commit becomes visible. In case a writer is killed between commit and notification,
 * each process polls once a second for all of its watches; where inotify is exhausted, ten times as
 * often.
 */
final class ChangeNotifier implements AutoCloseable {
  private static final Duration POLL = Duration.ofSeconds(1);
  private static final Duration POLL_WITHOUT_INOTIFY = Duration.ofMillis(100);

  private final Path directory;
  private final FileChannel file;
  private volatile BooleanSupplier changes = () -> false;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private long count;
  private @Nullable WatchService inotify;
  private boolean listening;
  private boolean closed;

  ChangeNotifier(Path directory) throws IOException {
    this.directory = directory;
    PrivateFiles.createDirectory(directory);
    this.file =
        FileChannel.open(
            directory.resolve("ring"),
            Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS),
            PrivateFiles.FILE_MODE);
  }

  /** Sets the check for changes since the last check, for polling without a notification. */
  void pollWith(BooleanSupplier changes) {
    this.changes = changes;
  }

  /** Wakes the watches of this process and of every other. */
  void notifyAllProcesses() {
    wake();
    try {
      file.write(ByteBuffer.wrap(new byte[] {0}), 0);
    } catch (IOException _) {
      // The others poll, a little later.
      wake();
    }
  }

  /**
   * The number of notifications so far; read it before checking for changes, then pass it to await.
   */
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

  /** Waits for the next notification, at most for this long. */
  void await(long seen, Duration limit) {
    lock.lock();
    try {
      long left = limit.toNanos();
      while (count == seen && !closed && left > 0) {
        left = changed.awaitNanos(left);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new UnavailableException("interrupted while watching the datastore", e);
    } finally {
      lock.unlock();
    }
  }

  /** Wakes the watches of this process only. */
  void wake() {
    lock.lock();
    try {
      count++;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private void listen() {
    Waiter waiter = ChangeNotifier::sleep;
    try {
      WatchService service = directory.getFileSystem().newWatchService();
      inotify = service;
      directory.register(service, StandardWatchEventKinds.ENTRY_MODIFY);
      waiter = () -> await(service);
    } catch (IOException _) {
      // The kernel's inotify limit is reached: poll only.
      inotify = null;
    }
    Waiter chosen = waiter;
    Thread.ofVirtual().name("datastore-bell").start(() -> run(chosen));
  }

  /** Waits a while for notifications from other processes. */
  @FunctionalInterface
  private interface Waiter {
    boolean await() throws InterruptedException;
  }

  private static boolean sleep() throws InterruptedException {
    Thread.sleep(POLL_WITHOUT_INOTIFY);
    return false;
  }

  private static boolean await(WatchService service) throws InterruptedException {
    WatchKey key = service.poll(POLL.toMillis(), TimeUnit.MILLISECONDS);
    if (key == null) {
      return false;
    }
    key.pollEvents();
    key.reset();
    return true;
  }

  private void run(Waiter waiter) {
    try {
      while (!isClosed()) {
        if (waiter.await() || haveChanged()) {
          wake();
        }
      }
    } catch (IllegalStateException _) {
      // The store was closed, or the watch service with it.
      wake();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** On an error, the watches are to read and to report it. */
  private boolean haveChanged() {
    try {
      return changes.getAsBoolean();
    } catch (DatastoreException _) {
      return true;
    }
  }

  private boolean isClosed() {
    lock.lock();
    try {
      return closed;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void close() throws IOException {
    lock.lock();
    try {
      closed = true;
      changed.signalAll();
      if (inotify != null) {
        inotify.close();
      }
    } finally {
      lock.unlock();
    }
    file.close();
  }
}
