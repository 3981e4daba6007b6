package io.ocicat.plugins.calico;

import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.Query;
import io.ocicat.datastore.Resource;
import io.ocicat.datastore.ResourceKey;
import io.ocicat.datastore.ResourcePage;
import io.ocicat.datastore.ResourceWatch;
import io.ocicat.datastore.cluster.Cluster;
import org.jspecify.annotations.Nullable;

/** Hands everything on; tests change what they want otherwise. */
class ForwardingDatastore implements Datastore {
  private final Datastore behind;

  ForwardingDatastore(Datastore behind) {
    this.behind = behind;
  }

  @Override
  public Resource create(Resource resource) {
    return behind.create(resource);
  }

  @Override
  public Resource update(Resource resource) {
    return behind.update(resource);
  }

  @Override
  public Resource delete(ResourceKey key, @Nullable String revision) {
    return behind.delete(key, revision);
  }

  @Override
  public Resource get(ResourceKey key) {
    return behind.get(key);
  }

  @Override
  public ResourcePage list(Query query, int limit, @Nullable String next) {
    return behind.list(query, limit, next);
  }

  @Override
  public ResourceWatch watch(Query query, String revision) {
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
}
