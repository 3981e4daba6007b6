package io.ocicat.cli.resource;

import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.cluster.Cluster;
import io.ocicat.datastore.error.ConflictException;
import io.ocicat.datastore.error.ExistsException;
import io.ocicat.datastore.error.InvalidException;
import io.ocicat.datastore.error.NotFoundException;
import io.ocicat.datastore.model.BuiltInProfile;
import io.ocicat.datastore.model.CrossChecks;
import io.ocicat.datastore.model.ResourceAdmission;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.datastore.resource.ResourcePage;
import io.ocicat.datastore.resource.ResourceQuery;
import io.ocicat.datastore.resource.ResourceWatch;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A datastore that only simulates writes: reads come from the real one, writes stay in memory and
 * are refused for the same reasons. So several writes that depend on each other (a tier and its
 * policies, two pools that overlap) are checked before the first is made. Not thread-safe; closing
 * closes nothing.
 */
final class DryRunDatastore implements Datastore {
  private final Datastore real;
  private final ResourceAdmission admission = ResourceAdmission.standard();
  private final Map<ResourceKey, Optional<Resource>> changed = new LinkedHashMap<>();

  DryRunDatastore(Datastore real) {
    this.real = real;
  }

  @Override
  public boolean hasTransactions() {
    return false;
  }

  @Override
  public Resource create(Resource resource) {
    BuiltInProfile.refuseWrite(resource.key(), "created");
    Resource admitted = admission.forCreate(resource);
    if (find(resource.key()).isPresent()) {
      throw new ExistsException(resource.describe() + " exists already");
    }
    CrossChecks.beforeCreate(this, admitted);
    return keep(admitted.withRevision("planned"));
  }

  @Override
  public Resource update(Resource resource) {
    BuiltInProfile.refuseWrite(resource.key(), "updated");
    Resource current = get(resource.key());
    if (!current.revision().equals(resource.revision())) {
      throw new ConflictException(
          "%s is of revision %s, not %s: read it again and repeat the change"
              .formatted(resource.describe(), current.revision(), resource.revision()));
    }
    Resource admitted = admission.forUpdate(resource);
    CrossChecks.beforeUpdate(this, admitted);
    return keep(admitted);
  }

  private Resource keep(Resource admitted) {
    changed.put(admitted.key(), Optional.of(admitted));
    return admitted;
  }

  @Override
  public Resource delete(ResourceKey key, @Nullable String revision) {
    BuiltInProfile.refuseWrite(key, "deleted");
    CrossChecks.beforeDelete(this, key);
    Resource current = get(key);
    changed.put(key, Optional.empty());
    return current;
  }

  @Override
  public Resource get(ResourceKey key) {
    return find(key).orElseThrow(() -> new NotFoundException(key.describe() + " does not exist"));
  }

  private Optional<Resource> find(ResourceKey key) {
    Optional<Resource> known = changed.get(key);
    if (known != null) {
      return known;
    }
    try {
      return Optional.of(real.get(key));
    } catch (NotFoundException _) {
      return Optional.empty();
    }
  }

  @Override
  public ResourcePage list(ResourceQuery query, int limit, @Nullable String next) {
    ResourcePage page = real.list(query);
    List<Resource> items =
        new ArrayList<>(
            page.items().stream().filter(item -> !changed.containsKey(item.key())).toList());
    for (Optional<Resource> change : changed.values()) {
      change.filter(resource -> query.matches(resource.key())).ifPresent(items::add);
    }
    return new ResourcePage(page.revision(), items, page.unreadable(), null);
  }

  @Override
  public ResourceWatch watch(ResourceQuery query, String revision) {
    throw new InvalidException("what is only tried cannot be watched");
  }

  @Override
  public Cluster cluster() {
    return real.cluster();
  }

  @Override
  public void close() {}
}
