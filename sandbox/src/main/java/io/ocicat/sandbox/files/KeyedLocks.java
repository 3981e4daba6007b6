package io.ocicat.sandbox.files;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ocicat.netlink.linux.RangeLock;
import io.ocicat.sandbox.SandboxException;
import io.ocicat.sandbox.SandboxException.Reason;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Locks by name, among the threads of this process and, through a file, among processes. A lock
 * that nobody holds or waits for takes no memory, and the locks of a killed process are released.
 */
public final class KeyedLocks {
  private final Path file;
  private final String what;
  private final Map<String, Entry> entries = new HashMap<>();

  private static final class Entry {
    private final ReentrantLock lock = new ReentrantLock(true);
    private int users;
  }

  /** A held lock, to be released by the thread that acquired it. */
  public interface Held extends AutoCloseable {
    @Override
    void close();
  }

  /**
   * @param file created when missing, in an existing directory
   * @param what what the names refer to, for messages
   */
  public KeyedLocks(Path file, String what) {
    this.file = file;
    this.what = what;
  }

  /**
   * Waits for a lock.
   *
   * @throws SandboxException with {@link Reason#BUSY} when others hold it for too long
   */
  public Held hold(String name, Duration limit) {
    return acquire(name, limit)
        .orElseThrow(
            () ->
                new SandboxException(
                    Reason.BUSY,
                    "%s %s is busy: another operation on it did not end within %d s; try again"
                        .formatted(what, name, limit.toSeconds())));
  }

  /** Acquires a lock if it is free now. */
  public Optional<Held> tryHold(String name) {
    return acquire(name, Duration.ZERO);
  }

  private Optional<Held> acquire(String name, Duration limit) {
    long start = System.nanoTime();
    Entry entry = enter(name);
    boolean locked = false;
    try {
      locked = entry.lock.tryLock(limit.toNanos(), TimeUnit.NANOSECONDS);
      if (locked) {
        Duration left = limit.minusNanos(System.nanoTime() - start);
        Optional<RangeLock> range =
            RangeLock.acquire(file, number(name), left.isNegative() ? Duration.ZERO : left);
        if (range.isPresent()) {
          return Optional.of(
              () -> {
                range.get().close();
                entry.lock.unlock();
                leave(name, entry);
              });
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException e) {
      release(name, entry, locked);
      throw e;
    }
    release(name, entry, locked);
    return Optional.empty();
  }

  private void release(String name, Entry entry, boolean locked) {
    if (locked) {
      entry.lock.unlock();
    }
    leave(name, entry);
  }

  private Entry enter(String name) {
    synchronized (entries) {
      Entry entry = entries.computeIfAbsent(name, _ -> new Entry());
      entry.users++;
      return entry;
    }
  }

  private void leave(String name, Entry entry) {
    synchronized (entries) {
      entry.users--;
      if (entry.users == 0) {
        entries.remove(name, entry);
      }
    }
  }

  /** The number of names that are held or waited for. */
  public int size() {
    synchronized (entries) {
      return entries.size();
    }
  }

  private static long number(String name) {
    try {
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(name.getBytes(UTF_8));
      return ByteBuffer.wrap(digest).getLong() >>> 2;
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
