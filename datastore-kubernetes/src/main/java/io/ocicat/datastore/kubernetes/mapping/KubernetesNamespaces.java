package io.ocicat.datastore.kubernetes.mapping;

import io.ocicat.datastore.error.UnsupportedException;
import io.ocicat.datastore.kubernetes.client.ApiCall;
import io.ocicat.datastore.kubernetes.client.ApiClient;
import io.ocicat.datastore.kubernetes.client.ApiCollection;
import io.ocicat.datastore.kubernetes.client.CollectionWatch;
import io.ocicat.datastore.kubernetes.client.JsonTrees;
import io.ocicat.datastore.model.Shapes;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceEvent;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.datastore.resource.ResourcePage;
import io.ocicat.datastore.resource.ResourceQuery;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** Reads Kubernetes' namespaces, which are Kubernetes' to change. */
public final class KubernetesNamespaces implements ResourceMapping {
  private static final ApiCollection NAMESPACES =
      new ApiCollection(KubernetesCluster.NAMESPACES, "", "the list of namespaces");

  private final ApiClient api;

  public KubernetesNamespaces(ApiClient api) {
    this.api = api;
  }

  @Override
  public Resource create(Resource resource) {
    throw unsupported(resource.key(), "created here: use kubectl create namespace");
  }

  @Override
  public Resource update(Resource resource) {
    throw unsupported(
        resource.key(), "changed here: use kubectl label namespace or kubectl annotate namespace");
  }

  @Override
  public Resource delete(ResourceKey key, @Nullable String revision) {
    throw unsupported(key, "deleted here: use kubectl delete namespace");
  }

  private static UnsupportedException unsupported(ResourceKey key, String what) {
    return new UnsupportedException("%s cannot be %s".formatted(key.describe(), what));
  }

  private static Resource read(ObjectNode namespace) {
    ObjectNode document =
        namespace
            .deepCopy()
            .put("kind", Kind.NAMESPACE.text())
            .put("apiVersion", Kind.NAMESPACE.apiVersion());
    JsonTrees.metadata(document).remove("resourceVersion");
    return Resource.stored(
        ResourceKey.of(Kind.NAMESPACE, JsonTrees.name(namespace)),
        Shapes.canonical(Kind.NAMESPACE, document),
        JsonTrees.revision(namespace));
  }

  @Override
  public Resource get(ResourceKey key) {
    return read(api.call(ApiCall.get(NAMESPACES.path().named(key.name()), key.describe())));
  }

  @Override
  public ResourcePage list(ResourceQuery query, int limit, @Nullable String next) {
    ApiCollection.Part part = NAMESPACES.read(api, limit, next);
    List<Resource> items =
        part.items().stream()
            .map(KubernetesNamespaces::read)
            .filter(namespace -> query.matches(namespace.key()))
            .toList();
    return new ResourcePage(
        part.revision(), items, List.of(), part.next().isEmpty() ? null : part.next());
  }

  @Override
  public List<CollectionWatch.Source> changes(ResourceQuery query, String revision) {
    return List.of(
        NAMESPACES.changes(
            revision,
            (change, object) -> {
              Resource namespace = read(object);
              if (!query.matches(namespace.key())) {
                return Optional.empty();
              }
              return Optional.of(
                  switch (change) {
                    case ADDED -> new ResourceEvent.Added(namespace);
                    case MODIFIED -> new ResourceEvent.Modified(namespace);
                    case DELETED ->
                        new ResourceEvent.Deleted(namespace.key(), namespace.revision(), namespace);
                  });
            }));
  }
}
