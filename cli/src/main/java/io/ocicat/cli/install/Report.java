package io.ocicat.cli.install;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Tells what was done, a line for each file; for a copied distribution, one for all of it.
 *
 * @param tree where the distribution is copied to, if it is
 */
record Report(PrintWriter out, Optional<Path> tree) {
  static final String DRY_RUN = "a dry run, nothing is changed:";

  void dryRun() {
    out.println(DRY_RUN);
  }

  void done(List<Plan.Step> steps) {
    List<Plan.Step> copied = steps.stream().filter(this::isInTree).toList();
    if (!copied.isEmpty()) {
      long changed = copied.stream().filter(step -> step.task() != Plan.Task.LEAVE).count();
      line(
          changed > 0 ? "new" : "same",
          "%s, %d files".formatted(tree.orElseThrow(), copied.size()));
    }
    for (Plan.Step step : steps) {
      if (!isInTree(step)) {
        line(word(step.task()), step.item().path() + kept(step));
      }
    }
  }

  void next(String command) {
    line("next", command);
  }

  private boolean isInTree(Plan.Step step) {
    return tree.isPresent() && step.item().path().startsWith(tree.get());
  }

  private static String word(Plan.Task task) {
    return switch (task) {
      case PUT -> "new";
      case UPDATE -> "updated";
      case REPLACE -> "replaced";
      case LEAVE -> "same";
    };
  }

  private static String kept(Plan.Step step) {
    return step.task() == Plan.Task.REPLACE && step.kept() != null
        ? ", kept as " + step.kept().path().getFileName()
        : "";
  }

  private void line(String word, String rest) {
    out.println("%-8s  %s".formatted(word, rest));
  }
}
