package io.ocicat.cli.install;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Reports what was done to each file; for a copied distribution, once for all of it.
 *
 * @param tree where the distribution is copied to, if it is
 */
record InstallReport(InstallOutput output, Optional<Path> tree) {
  void done(List<InstallPlan.Step> steps) {
    List<InstallPlan.Step> copied = steps.stream().filter(this::isInTree).toList();
    if (!copied.isEmpty()) {
      long changed = copied.stream().filter(step -> step.task() != InstallPlan.Task.LEAVE).count();
      output.report(
          changed > 0 ? "new" : "same",
          tree.orElseThrow().toString(),
          "%d files".formatted(copied.size()));
    }
    for (InstallPlan.Step step : steps) {
      if (!isInTree(step)) {
        output.report(word(step.task()), step.item().path().toString(), kept(step));
      }
    }
  }

  private boolean isInTree(InstallPlan.Step step) {
    return tree.isPresent() && step.item().path().startsWith(tree.get());
  }

  private static String word(InstallPlan.Task task) {
    return switch (task) {
      case PUT -> "new";
      case UPDATE -> "updated";
      case REPLACE -> "replaced";
      case LEAVE -> "same";
    };
  }

  private static String kept(InstallPlan.Step step) {
    return step.task() == InstallPlan.Task.REPLACE && step.kept() != null
        ? "kept as " + step.kept().path().getFileName()
        : "";
  }
}
