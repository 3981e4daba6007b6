package io.ocicat.datastore.passing;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Counts round trips. Holds every request until no other has come for a while, and then lets all of
 * them go: concurrent requests are one round, however slow the machine is. Thread-safe.
 */
public final class Rounds {
  private static final long QUIET = Duration.ofMillis(120).toNanos();

  private final List<List<String>> rounds = new ArrayList<>();
  private final List<String> held = new ArrayList<>();
  private boolean counting;
  private int round;
  private long lastCame;

  /** Resets the count; holds requests from now on. */
  public synchronized void start() {
    rounds.clear();
    counting = true;
  }

  /** Returns the requests of each round; nothing is held any more. */
  public synchronized List<List<String>> stop() {
    counting = false;
    return List.copyOf(rounds);
  }

  /** Holds a request. */
  public synchronized void pass(String request) {
    if (!counting) {
      return;
    }
    int mine = round;
    held.add(request);
    lastCame = System.nanoTime();
    boolean first = held.size() == 1;
    try {
      while (mine == round) {
        long left = first ? QUIET - (System.nanoTime() - lastCame) : QUIET;
        if (left <= 0) {
          rounds.add(List.copyOf(held));
          held.clear();
          round++;
          notifyAll();
        } else {
          TimeUnit.NANOSECONDS.timedWait(this, left);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
