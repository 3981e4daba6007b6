package io.ocicat.cli.resource;

import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.error.DatastoreException;
import io.ocicat.datastore.error.UnauthorizedException;
import io.ocicat.datastore.error.UnavailableException;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Changes many resources: tries all of them first, and writes the first only when none is refused.
 * What still fails then (a lost connection, a concurrent change) ends the batch, and the user is
 * told how far it came.
 */
final class ResourceBatch {
  private final Datastore datastore;
  private final ResourceChange change;
  private final boolean lenient;

  ResourceBatch(Datastore datastore, ResourceChange change, boolean lenient) {
    this.datastore = datastore;
    this.change = change;
    this.lenient = lenient;
  }

  /** Returns the exit code. */
  int run(List<Manifest> manifests, PrintWriter out) {
    dryRun(manifests);
    List<Manifest> done = new ArrayList<>();
    int skipped = 0;
    for (Manifest manifest : manifests) {
      try {
        if (change.make(datastore, prepared(manifest.resource()), lenient)) {
          done.add(manifest);
        } else {
          skipped++;
        }
      } catch (DatastoreException e) {
        throw new RejectedException(List.of(describe(manifest, e), soFar(manifests, done)));
      }
    }
    out.println(success(done));
    if (skipped > 0) {
      out.println("Skipped %d resource(s)".formatted(skipped));
    }
    return 0;
  }

  private Resource prepared(Resource resource) {
    return change == ResourceChange.DELETE && resource.kind() == Kind.IP_POOL
        ? PoolDeletion.prepare(datastore, resource)
        : resource;
  }

  private void dryRun(List<Manifest> manifests) {
    DryRunDatastore rehearsal = new DryRunDatastore(datastore);
    List<String> refused = new ArrayList<>();
    Map<Object, String> seen = new HashMap<>();
    for (Manifest manifest : manifests) {
      try {
        change.refuse(manifest.resource().key());
        String before = seen.putIfAbsent(manifest.resource().key(), manifest.origin());
        if (before != null) {
          refused.add(
              "%s: %s is in %s already"
                  .formatted(manifest.origin(), manifest.resource().describe(), before));
          continue;
        }
        change.make(rehearsal, manifest.resource(), lenient);
      } catch (UnavailableException | UnauthorizedException e) {
        // Every other one would fail in the same way.
        throw e;
      } catch (DatastoreException e) {
        refused.add(describe(manifest, e));
      }
    }
    if (!refused.isEmpty()) {
      if (manifests.size() > 1) {
        refused.add(
            "nothing was %s: correct %d of %d resources first"
                .formatted(change.done(), refused.size(), manifests.size()));
      }
      throw new RejectedException(refused);
    }
  }

  private static String describe(Manifest manifest, DatastoreException e) {
    return manifest.origin().isEmpty()
        ? String.valueOf(e.getMessage())
        : "%s: %s".formatted(manifest.origin(), e.getMessage());
  }

  private String soFar(List<Manifest> all, List<Manifest> done) {
    List<String> names = done.stream().map(manifest -> manifest.resource().describe()).toList();
    return "%d of %d %s%s"
        .formatted(
            done.size(),
            all.size(),
            change.done(),
            names.isEmpty() ? "" : ": " + String.join(", ", names));
  }

  private String success(List<Manifest> done) {
    List<String> kinds =
        done.stream().map(manifest -> manifest.resource().kind().text()).distinct().toList();
    return kinds.size() == 1
        ? "Successfully %s %d '%s' resource(s)"
            .formatted(change.done(), done.size(), kinds.getFirst())
        : "Successfully %s %d resource(s)".formatted(change.done(), done.size());
  }
}
