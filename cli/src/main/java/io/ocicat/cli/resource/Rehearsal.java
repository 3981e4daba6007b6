package io.ocicat.cli.resource;

import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.error.DatastoreException;
import io.ocicat.datastore.resource.ResourceKey;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A datastore as it would be after documents were applied, or deleted. Nothing is written.
 *
 * @param datastore reads from the real one, which stays open for it
 * @param changed what the documents name
 */
public record Rehearsal(Datastore datastore, Set<ResourceKey> changed) {
  public Rehearsal {
    changed = Set.copyOf(changed);
  }

  /**
   * Reads the documents of {@code -f} and makes the changes in memory.
   *
   * @param delete whether they are deleted rather than applied
   * @param namespace of those that name none; null for {@code default}
   * @throws RejectedException naming everything that is wrong
   */
  public static Rehearsal of(
      Datastore real,
      List<String> files,
      boolean delete,
      @Nullable String namespace,
      CommandContext context) {
    List<Manifest> manifests =
        Manifests.read(files, /* recursive= */ false, namespace, context.stdin());
    if (manifests.isEmpty()) {
      throw new RejectedException(
          List.of("%s: no resource in it".formatted(String.join(", ", files))));
    }
    ResourceChange change = delete ? ResourceChange.DELETE : ResourceChange.APPLY;
    DryRunDatastore planned = new DryRunDatastore(real);
    Set<ResourceKey> changed = new LinkedHashSet<>();
    List<String> refused = new ArrayList<>();
    for (Manifest manifest : manifests) {
      try {
        change.refuse(manifest.resource().key());
        change.make(planned, manifest.resource(), /* lenient= */ false);
        changed.add(manifest.resource().key());
      } catch (DatastoreException e) {
        refused.add("%s: %s".formatted(manifest.origin(), e.getMessage()));
      }
    }
    if (!refused.isEmpty()) {
      throw new RejectedException(refused);
    }
    return new Rehearsal(planned, changed);
  }
}
