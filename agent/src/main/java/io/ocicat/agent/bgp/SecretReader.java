package io.ocicat.agent.bgp;

import io.ocicat.agent.view.SecretEntry;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * The Secrets that sessions use, read on a thread of its own, and again every few seconds, so that
 * one that comes or changes later is used. What cannot be read for a while keeps its last content.
 * Thread-safe.
 */
public final class SecretReader implements BgpSecrets, AutoCloseable {
  private final SecretSource source;
  private final Duration interval;
  private final Runnable changed;
  private final Map<SecretEntry, Answer> answers = new ConcurrentSkipListMap<>();
  private final BlockingQueue<SecretEntry> asked = new LinkedBlockingQueue<>();
  private final Thread thread;
  private volatile boolean closed;

  private SecretReader(SecretSource source, Duration interval, Runnable changed) {
    this.source = source;
    this.interval = interval;
    this.changed = changed;
    this.thread = Thread.ofVirtual().name("secrets").unstarted(this::run);
  }

  /**
   * Starts a reader.
   *
   * @param changed called by its thread whenever an answer is another one
   */
  public static SecretReader start(SecretSource source, Duration interval, Runnable changed) {
    SecretReader reader = new SecretReader(source, interval, changed);
    reader.thread.start();
    return reader;
  }

  @Override
  public Answer find(SecretEntry entry) {
    Answer known = answers.putIfAbsent(entry, new Answer.Pending());
    if (known == null) {
      asked.add(entry);
      return new Answer.Pending();
    }
    return known;
  }

  private void run() {
    try {
      while (!closed) {
        SecretEntry entry = asked.poll(interval.toMillis(), TimeUnit.MILLISECONDS);
        boolean different = false;
        if (entry == null) {
          for (SecretEntry known : answers.keySet()) {
            different |= read(known);
          }
        }
        while (entry != null) {
          different |= read(entry);
          entry = asked.poll();
        }
        if (different) {
          changed.run();
        }
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  /** Returns whether the answer is another one now. */
  private boolean read(SecretEntry entry) {
    Answer now;
    try {
      now = source.read(entry);
    } catch (SecretSource.UnavailableException e) {
      if (answers.get(entry) instanceof Answer.Found) {
        return false;
      }
      now = new Answer.Missing(String.valueOf(e.getMessage()));
    }
    return !now.equals(answers.put(entry, now));
  }

  @Override
  public void close() {
    closed = true;
    thread.interrupt();
  }
}
