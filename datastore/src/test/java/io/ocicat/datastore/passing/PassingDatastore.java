package io.ocicat.datastore.passing;

import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.cluster.Cluster;
import io.ocicat.datastore.error.UnsupportedException;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.datastore.resource.ResourcePage;
import io.ocicat.datastore.resource.ResourceQuery;
import io.ocicat.datastore.resource.ResourceWatch;
import io.ocicat.datastore.resource.Write;
import io.ocicat.datastore.resource.WriteOutcome;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Delegates to another datastore; subclasses add faults. */
public class PassingDatastore implements Datastore {
  private final Datastore behind;

  public PassingDatastore(Datastore behind) {
    this.behind = behind;
  }

  /** Called before each read. */
  protected void reading() {}

  /** Called around each write. */
  protected <T> T writing(Supplier<T> write) {
    return write.get();
  }

  @Override
  public Resource create(Resource resource) {
    return writing(() -> behind.create(resource));
  }

  @Override
  public Resource update(Resource resource) {
    return writing(() -> behind.update(resource));
  }

  @Override
  public Resource delete(ResourceKey key, @Nullable String revision) {
    return writing(() -> behind.delete(key, revision));
  }

  @Override
  public boolean hasTransactions() {
    return behind.hasTransactions();
  }

  @Override
  public WriteOutcome commit(List<Write> writes) {
    return writing(() -> behind.commit(writes));
  }

  @Override
  public Resource get(ResourceKey key) {
    reading();
    return behind.get(key);
  }

  @Override
  public ResourcePage list(ResourceQuery query, int limit, @Nullable String next) {
    reading();
    return behind.list(query, limit, next);
  }

  @Override
  public ResourceWatch watch(ResourceQuery query, String revision) {
    return behind.watch(query, revision);
  }

  @Override
  public Cluster cluster() {
    return behind.cluster();
  }

  @Override
  public void close() {
    behind.close();
  }

  /**
   * The same datastore without transactions and, like Kubernetes, without an effect of updates that
   * change nothing: the resource keeps its revision.
   */
  public static Datastore withoutTransactions(Datastore behind) {
    return new PassingDatastore(behind) {
      @Override
      public boolean hasTransactions() {
        return false;
      }

      @Override
      public WriteOutcome commit(List<Write> writes) {
        throw new UnsupportedException("this datastore writes one resource at a time");
      }

      @Override
      public Resource update(Resource resource) {
        Resource current = behind.get(resource.key());
        return current.equals(resource) ? current : super.update(resource);
      }
    };
  }
}
