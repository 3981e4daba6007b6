package io.ocicat.agent.matrix;

import io.ocicat.datastore.error.NotFoundException;
import io.ocicat.datastore.resource.Resource;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Runs cases in one world and counts. A case that fails is noted and the next one runs: a list of
 * what is wrong says more than its first line. For one thread.
 */
public final class CaseRunner {
  private static final int RESTART_EVERY = 25;
  private static final int OPEN_EVERY = 10;

  private final PolicyWorld world;
  private final TruthTable table;
  private final Runnable restart;
  private final List<String> failures = new ArrayList<>();
  private int cases;
  private int differing;

  /**
   * A runner.
   *
   * @param restart ends the agents and starts new ones
   */
  public CaseRunner(PolicyWorld world, TruthTable table, Runnable restart) {
    this.world = world;
    this.table = table;
    this.restart = restart;
  }

  public void run(List<PolicyCase> all) {
    all.forEach(this::run);
  }

  /**
   * Applies a case, in its order and, if it has several resources, also in reverse order, and takes
   * it back.
   */
  public void run(PolicyCase which) {
    cases++;
    try {
      apply(which.inOrder(false));
      table.await(which.name());
      if (cases % RESTART_EVERY == 0) {
        restart.run();
        table.await(which.name() + ", after a restart");
      }
      for (PolicyCase.Step step : which.steps()) {
        step.action().accept(world);
        table.await(which.name() + ", then " + step.name());
      }
      if (which.resources().size() > 1) {
        takeBack(which);
        apply(which.inOrder(true));
        table.await(which.name() + ", in reverse order");
      }
    } catch (AssertionError | RuntimeException e) {
      failures.add(String.valueOf(e));
    } finally {
      takeBack(which);
    }
    if (cases % OPEN_EVERY == 0) {
      try {
        table.await("after deletion of " + which.name());
      } catch (AssertionError e) {
        failures.add(String.valueOf(e));
      }
    }
  }

  private void apply(List<Resource> resources) {
    resources.forEach(world.datastore()::create);
  }

  private void takeBack(PolicyCase which) {
    for (Resource resource : which.inOrder(true).reversed()) {
      try {
        world.datastore().delete(resource.key(), null);
      } catch (NotFoundException _) {
        // A step has deleted it, or it was never written.
      }
    }
    if (!which.steps().isEmpty()) {
      world.restore();
    }
  }

  /** What ran, in one line. */
  public String summary() {
    return String.format(
        Locale.ROOT,
        "%d cases, %d tables, %d cells, %d cases differ",
        cases,
        table.tables(),
        world.prober().cells(),
        differing + failures.size());
  }

  /** Throws if a case has failed since the last call. */
  public void finish() {
    List<String> failed = List.copyOf(failures);
    differing += failed.size();
    failures.clear();
    if (!failed.isEmpty()) {
      throw new AssertionError(summary() + "\n" + String.join("\n", failed));
    }
  }
}
