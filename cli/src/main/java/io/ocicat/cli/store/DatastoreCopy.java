package io.ocicat.cli.store;

import io.ocicat.cli.resource.RejectedException;
import io.ocicat.cli.terminal.Progress;
import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.error.ExistsException;
import io.ocicat.datastore.error.InvalidException;
import io.ocicat.datastore.error.NotFoundException;
import io.ocicat.datastore.model.ResourceAdmission;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Copies resources to another datastore, each with its uid and age. What already exists and is the
 * same is left alone, so a copy that was interrupted can be repeated.
 */
final class DatastoreCopy {
  /** Each cluster has its own: it is never copied over another's. */
  private static final Set<Kind> OWN = Set.of(Kind.CLUSTER_INFORMATION);

  private static final int TOLD = 20;

  private final Datastore target;
  private final boolean toKubernetes;
  private final ResourceComparison sameness;
  private final PrintWriter err;

  /**
   * @param toKubernetes whether the target is a cluster, which has many objects of its own
   * @param err receives progress, when it takes long
   */
  DatastoreCopy(Datastore target, boolean toKubernetes, PrintWriter err) {
    this.target = target;
    this.toKubernetes = toKubernetes;
    this.sameness = toKubernetes ? ResourceComparison.IN_KUBERNETES : ResourceComparison.EXACT;
    this.err = err;
  }

  /** Those that can be copied there at all; reports which are not. */
  List<Resource> copied(List<Resource> resources) {
    Map<Kind, Integer> left = new EnumMap<>(Kind.class);
    List<Resource> copied = new ArrayList<>();
    for (Resource resource : resources) {
      if (DatastoreContents.isCopied(resource.kind(), toKubernetes)) {
        copied.add(resource);
      } else {
        left.merge(resource.kind(), 1, Integer::sum);
      }
    }
    left.forEach(
        (kind, count) ->
            err.println(
                "%d %s stay behind: Kubernetes has its own".formatted(count, kind.plural())));
    return copied;
  }

  /**
   * Refuses what could not be copied, before anything is.
   *
   * @param merge whether the target may hold something already
   * @param overwrite whether the target's content is from an earlier copy, and may be overwritten
   */
  void check(List<Resource> resources, RawKeys raw, boolean merge, boolean overwrite) {
    List<String> reasons = new ArrayList<>(raw.conflicts(target));
    Map<ResourceKey, Resource> present = present();
    // A cluster has policies of its own, which have nothing to do with Calico's.
    long calicos =
        present.keySet().stream()
            .filter(key -> !(toKubernetes && key.kind().isOfKubernetes()))
            .count();
    if (calicos > 0 && !merge && !overwrite) {
      throw new RejectedException(
          List.of(
              "the target holds %d resources already: use an empty one, or --merge to keep them"
                  .formatted(calicos)));
    }
    missingNamespaces(resources).forEach(reasons::add);
    for (Resource resource : resources) {
      Resource other = present.get(resource.key());
      if (other != null && !overwrite && !sameness.of(resource, other)) {
        reasons.add(
            "%s is another one in the target: delete one of the two"
                .formatted(resource.describe()));
      }
      try {
        ResourceAdmission.standard().forCreate(resource.withRevision(""));
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

  /** The target's resources of the kinds that are copied. */
  private Map<ResourceKey, Resource> present() {
    Map<ResourceKey, Resource> present = new LinkedHashMap<>();
    for (Kind kind : DatastoreContents.kinds()) {
      if (!OWN.contains(kind) && DatastoreContents.isCopied(kind, toKubernetes)) {
        DatastoreContents.of(target, kind)
            .forEach(resource -> present.put(resource.key(), resource));
      }
    }
    return present;
  }

  /** A cluster holds nothing in a namespace that does not exist. */
  private List<String> missingNamespaces(List<Resource> resources) {
    if (!toKubernetes) {
      return List.of();
    }
    return resources.stream()
        .map(resource -> resource.key().namespace())
        .filter(namespace -> !namespace.isEmpty())
        .distinct()
        .sorted()
        .filter(namespace -> target.cluster().namespace(namespace).isEmpty())
        .map(
            namespace ->
                "the cluster has no namespace %s: \"kubectl create namespace %s\" first"
                    .formatted(namespace, namespace))
        .toList();
  }

  /**
   * Copies.
   *
   * @param overwrite whether what differs in the target is from an earlier copy
   * @return how many were missing or different before
   */
  int run(List<Resource> resources, boolean overwrite) {
    int copied = 0;
    Progress progress = new Progress(err, "copying resources", resources.size());
    for (Resource resource : resources) {
      try {
        target.create(resource.withRevision(""));
        copied++;
      } catch (ExistsException e) {
        if (!OWN.contains(resource.kind())) {
          Resource other = target.get(resource.key());
          if (!sameness.of(resource, other)) {
            if (!overwrite) {
              throw e;
            }
            target.update(over(other, resource));
            copied++;
          }
        }
      }
      progress.step();
    }
    return copied;
  }

  /** The API server's uid stays: otherwise it would treat this as an update of another object. */
  private Resource over(Resource other, Resource resource) {
    Resource update = resource.withRevision(other.revision());
    Optional<String> uid = other.text("metadata", "uid");
    return toKubernetes && uid.isPresent()
        ? update.edit(tree -> tree.withObject("metadata").put("uid", uid.get()))
        : update;
  }

  /** Deletes what an earlier copy brought and the source no longer has. */
  void removeOthers(List<Resource> resources) {
    Map<ResourceKey, Resource> others = present();
    resources.forEach(resource -> others.remove(resource.key()));
    new ArrayList<>(others.values()).reversed().forEach(target::delete);
  }

  /** Copies keys of unknown kinds, and reports them; Kubernetes has no place for them. */
  void runRaw(RawKeys raw) {
    if (raw.count() == 0) {
      return;
    }
    err.println(
        raw.copyTo(target).isPresent()
            ? "copied %d keys of kinds that are not known here as they are: %s"
                .formatted(raw.count(), raw.names())
            : "%d keys of kinds that are not known here stay behind: %s"
                .formatted(raw.count(), raw.names()));
  }

  /** What is missing or different in the target, one line each. */
  List<String> differences(List<Resource> resources, RawKeys raw) {
    List<String> lines = new ArrayList<>(raw.differences(target));
    Progress progress = new Progress(err, "comparing resources", resources.size());
    for (Resource resource : resources) {
      try {
        Resource copied = target.get(resource.key());
        if (!OWN.contains(resource.kind()) && !sameness.of(resource, copied)) {
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
