package io.ocicat.agent.matrix;

import io.ocicat.datastore.resource.Resource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.function.Function;

/**
 * Compares what the oracle says about every cell with what packets say, and counts. For one thread.
 */
public final class TruthTable {
  private static final Duration LIMIT = Duration.ofSeconds(10);
  private static final int LONGEST_PAUSE_MILLIS = 64;
  private static final int SHOWN = 12;

  private final PolicyWorld world;
  private final boolean toHost;
  private final Opinion opinion;
  private List<Resource> meaning = List.of();
  private int tables;

  /** Somebody else who says which cells are open, asked once packets have said it. */
  @FunctionalInterface
  public interface Opinion {
    /**
     * Compares.
     *
     * @param packet the first packet of a cell
     * @param open the numbers of the cells that packets go through
     * @throws AssertionError when it does not agree
     */
    void compare(List<Cell> cells, Function<Cell, Packet> packet, BitSet open);
  }

  public TruthTable(PolicyWorld world, boolean toHost) {
    this(world, toHost, (_, _, _) -> {});
  }

  /**
   * A table of a world.
   *
   * @param toHost whether pods that may send to their own node's address reach it
   */
  public TruthTable(PolicyWorld world, boolean toHost, Opinion opinion) {
    this.world = world;
    this.toHost = toHost;
    this.opinion = opinion;
  }

  /** From now on, these stand for the stored resources of the same keys: what those should mean. */
  public void read(Resource... instead) {
    meaning = List.of(instead);
  }

  /** How many whole tables agreed so far. */
  public int tables() {
    return tables;
  }

  /**
   * Waits until packets agree with the oracle about every cell: agents need a moment.
   *
   * @throws AssertionError naming the cells that do not agree in the end
   */
  public void await(String what) {
    List<Cell> cells = world.cells();
    BitSet open = expected(cells);
    long limit = System.nanoTime() + LIMIT.toNanos();
    for (int pause = 1; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MILLIS)) {
      boolean last = System.nanoTime() - limit >= 0;
      BitSet answered = world.prober().probe(cells, open, !last);
      if (answered.equals(open)) {
        tables++;
        opinion.compare(cells, cell -> cell.packet(world.prober().nextSourcePort()), answered);
        return;
      }
      if (last) {
        throw new AssertionError(what + ": " + describe(cells, open, answered));
      }
      pause(pause);
    }
  }

  private static void pause(int millis) {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  /** The numbers of the cells that the documents allow. */
  public BitSet expected(List<Cell> cells) {
    Oracle oracle = Oracle.of(world.datastore(), meaning, toHost);
    BitSet open = new BitSet();
    for (int i = 0; i < cells.size(); i++) {
      Cell cell = cells.get(i);
      if (oracle.allows(cell.from(), cell.to(), cell.packet(world.prober().nextSourcePort()))) {
        open.set(i);
      }
    }
    return open;
  }

  /** The first cells that differ, and how many do. */
  public static String describe(List<Cell> cells, BitSet expected, BitSet answered) {
    BitSet wrong = (BitSet) expected.clone();
    wrong.xor(answered);
    List<String> lines = new ArrayList<>();
    wrong.stream()
        .limit(SHOWN)
        .forEach(
            i ->
                lines.add(
                    cells.get(i) + (expected.get(i) ? " should be open" : " should be closed")));
    return "%d of %d cells differ: %s"
        .formatted(wrong.cardinality(), cells.size(), String.join("; ", lines));
  }
}
