package io.ocicat.image.store;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

/** Locks by name within this process, which exist while somebody uses them. Thread-safe. */
final class KeyedGuards {
  private final Map<String, Entry> entries = new HashMap<>();

  private static final class Entry {
    private final ReentrantLock lock = new ReentrantLock();
    private int users;
  }

  /** A held lock, released by the thread that took it. */
  interface Held extends AutoCloseable {
    @Override
    void close();
  }

  Held hold(String name) {
    Entry entry;
    synchronized (entries) {
      entry = entries.computeIfAbsent(name, _ -> new Entry());
      entry.users++;
    }
    entry.lock.lock();
    return () -> {
      entry.lock.unlock();
      synchronized (entries) {
        entry.users--;
        if (entry.users == 0) {
          entries.remove(name);
        }
      }
    };
  }
}
