package io.ocicat.agent.matrix;

import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Tries cells without pause while something happens to the agents, and notes every answer of a cell
 * that is closed and every packet that an open one loses. It has the prober to itself.
 */
public final class Flood implements AutoCloseable {
  /** What takes longer on this machine is lost. */
  private static final Duration LIMIT = Duration.ofSeconds(3);

  private static final int MOST = 20;

  private final Prober prober;
  private final List<Cell> cells = new ArrayList<>();
  private final BitSet open = new BitSet();
  private final List<String> violations = new CopyOnWriteArrayList<>();
  private final Thread thread;
  private volatile boolean stopped;
  private final AtomicInteger rounds = new AtomicInteger();

  private Flood(Prober prober, List<Cell> closed, List<Cell> open) {
    this.prober = prober;
    cells.addAll(closed);
    cells.addAll(open);
    this.open.set(closed.size(), cells.size());
    this.thread = Thread.ofPlatform().daemon().name("flood").start(this::run);
  }

  /**
   * Begins.
   *
   * @param before the numbers of the cells that are open before what happens
   * @param after those that are open afterwards; where the two differ, anything may happen
   */
  public static Flood between(Prober prober, List<Cell> cells, BitSet before, BitSet after) {
    List<Cell> closed = new ArrayList<>();
    List<Cell> open = new ArrayList<>();
    for (int i = 0; i < cells.size(); i++) {
      // The kernel sends lost packets of TCP again, which would hide the loss.
      if (!cells.get(i).service().isTcp() && before.get(i) == after.get(i)) {
        (before.get(i) ? open : closed).add(cells.get(i));
      }
    }
    return new Flood(prober, closed, open);
  }

  private void run() {
    while (!stopped && violations.size() < MOST) {
      BitSet answered = prober.probeOnce(cells, open, LIMIT);
      if (!answered.equals(open)) {
        violations.add(
            "round %d: %s".formatted(rounds.get(), TruthTable.describe(cells, open, answered)));
      }
      rounds.incrementAndGet();
    }
  }

  /** How often every cell was tried. */
  public int rounds() {
    return rounds.get();
  }

  /** Ends, and returns what was wrong. */
  public List<String> end() {
    close();
    return violations;
  }

  @Override
  public void close() {
    stopped = true;
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException _) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
