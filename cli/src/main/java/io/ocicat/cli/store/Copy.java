package io.ocicat.cli.store;

import io.ocicat.cli.Progress;
import io.ocicat.cli.resource.RejectedException;
import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.ExistsException;
import io.ocicat.datastore.InvalidException;
import io.ocicat.datastore.Kind;
import io.ocicat.datastore.NotFoundException;
import io.ocicat.datastore.Resource;
import io.ocicat.datastore.ResourceKey;
import io.ocicat.datastore.model.Admission;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Puts resources into another datastore, each with its uid and age. What is there already and the
 * same is left alone, so a copy that was interrupted can be repeated.
 */
final class Copy {
  /** Each cluster has this of its own: it is never copied over another's. */
  private static final Set<Kind> OWN = Set.of(Kind.CLUSTER_INFORMATION);

  private static final int TOLD = 20;

  private final Datastore target;
  private final PrintWriter err;

  /**
   * @param err where it says how far it is, when that takes long
   */
  Copy(Datastore target, PrintWriter err) {
    this.target = target;
    this.err = err;
  }

  /**
   * Refuses what could not be copied, before anything is.
   *
   * @param merge whether the target may hold something already
   */
  void check(List<Resource> resources, boolean merge) {
    List<String> reasons = new ArrayList<>();
    Map<Kind, Map<ResourceKey, Resource>> present = new HashMap<>();
    int already = 0;
    for (Kind kind : Contents.kinds()) {
      Map<ResourceKey, Resource> held = new HashMap<>();
      Contents.of(target, kind).forEach(resource -> held.put(resource.key(), resource));
      present.put(kind, held);
      already += OWN.contains(kind) ? 0 : held.size();
    }
    if (already > 0 && !merge) {
      throw new RejectedException(
          List.of(
              "the target holds %d resources already: use an empty one, or --merge to keep them"
                  .formatted(already)));
    }
    for (Resource resource : resources) {
      Optional<Resource> other =
          Optional.ofNullable(present.getOrDefault(resource.kind(), Map.of()).get(resource.key()));
      if (other.isPresent()
          && !OWN.contains(resource.kind())
          && !Contents.isSame(resource, other.get())) {
        reasons.add(
            "%s is another one in the target: delete one of the two"
                .formatted(resource.describe()));
      }
      try {
        Admission.standard().forCreate(resource.withRevision(""));
      } catch (InvalidException e) {
        reasons.add(String.valueOf(e.getMessage()));
      }
    }
    if (!reasons.isEmpty()) {
      int left = reasons.size() - TOLD;
      List<String> told = new ArrayList<>(reasons.subList(0, Math.min(TOLD, reasons.size())));
      if (left > 0) {
        told.add("and %d more".formatted(left));
      }
      told.add("nothing was copied");
      throw new RejectedException(told);
    }
  }

  /** Returns how many were not there before. */
  int run(List<Resource> resources) {
    int copied = 0;
    Progress progress = new Progress(err, "copying resources", resources.size());
    for (Resource resource : resources) {
      try {
        target.create(resource.withRevision(""));
        copied++;
      } catch (ExistsException e) {
        if (!OWN.contains(resource.kind())
            && !Contents.isSame(resource, target.get(resource.key()))) {
          throw e;
        }
      }
      progress.step();
    }
    return copied;
  }

  /** What the target lacks or has otherwise, one line each. */
  List<String> differences(List<Resource> resources) {
    List<String> lines = new ArrayList<>();
    Progress progress = new Progress(err, "comparing resources", resources.size());
    for (Resource resource : resources) {
      try {
        Resource copied = target.get(resource.key());
        if (!OWN.contains(resource.kind()) && !Contents.isSame(resource, copied)) {
          lines.add(resource.describe() + " is not the same in the target");
        }
      } catch (NotFoundException _) {
        lines.add(resource.describe() + " is missing in the target");
      }
      progress.step();
    }
    return lines;
  }
}
