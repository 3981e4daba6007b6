package io.ocicat.datastore.kubernetes.mapping;

import io.ocicat.base.json.Json;
import io.ocicat.datastore.error.ConflictException;
import io.ocicat.datastore.error.UnsupportedException;
import io.ocicat.datastore.kubernetes.client.ApiCall;
import io.ocicat.datastore.kubernetes.client.ApiClient;
import io.ocicat.datastore.kubernetes.client.ApiCollection;
import io.ocicat.datastore.kubernetes.client.ApiPath;
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

/**
 * Kubernetes' own kinds, which are the API's objects as they are. Policies can be written here;
 * namespaces and endpoint slices are Kubernetes' to change.
 */
public final class KubernetesObjects implements ResourceMapping {
  /** How often an unconditional delete is retried after conflicts. */
  private static final int ATTEMPTS = 20;

  private final ApiClient api;
  private final Kind kind;
  private final ApiPath path;

  public KubernetesObjects(ApiClient api, Kind kind) {
    this.api = api;
    this.kind = kind;
    this.path = path(kind);
  }

  private static ApiPath path(Kind kind) {
    return switch (kind) {
      case NAMESPACE -> KubernetesCluster.NAMESPACES;
      case KUBERNETES_NETWORK_POLICY -> grouped(kind, "networkpolicies");
      case CLUSTER_NETWORK_POLICY, ENDPOINT_SLICE -> grouped(kind, kind.plural());
      default -> throw new IllegalArgumentException(kind + " is not one of Kubernetes' kinds");
    };
  }

  private static ApiPath grouped(Kind kind, String resource) {
    String[] version = kind.apiVersion().split("/", 2);
    return new ApiPath(version[0], version[1], resource, "", "", "");
  }

  private ApiPath path(ResourceKey key) {
    return path.in(key.namespace()).named(key.name());
  }

  @Override
  public Resource create(Resource resource) {
    refuse(resource.key(), "created", "create");
    ApiPath collection = path(resource.key()).named("");
    ObjectNode body = resource.content();
    // The server gives both.
    JsonTrees.metadata(body).remove(List.of("uid", "creationTimestamp"));
    return read(api.call(ApiCall.create(collection, body, resource.describe())));
  }

  @Override
  public Resource update(Resource resource) {
    refuse(resource.key(), "changed", "edit");
    ObjectNode body = resource.toDocument();
    return read(api.call(ApiCall.update(path(resource.key()), body, resource.describe())));
  }

  @Override
  public Resource delete(ResourceKey key, @Nullable String revision) {
    refuse(key, "deleted", "delete");
    for (int attempt = 1; ; attempt++) {
      Resource found = get(key);
      if (revision != null && !found.revision().equals(revision)) {
        throw new ConflictException(
            "%s has been changed by somebody else: read it again and repeat the change"
                .formatted(key.describe()));
      }
      ObjectNode options = Json.object().put("apiVersion", "v1").put("kind", "DeleteOptions");
      options
          .putObject("preconditions")
          .put("uid", found.text("metadata", "uid").orElse(""))
          .put("resourceVersion", found.revision());
      try {
        api.call(ApiCall.delete(path(key), options, key.describe()));
        return found;
      } catch (ConflictException e) {
        if (revision != null || attempt == ATTEMPTS) {
          throw e;
        }
      }
    }
  }

  private void refuse(ResourceKey key, String what, String verb) {
    switch (kind) {
      case NAMESPACE ->
          throw new UnsupportedException(
              "%s cannot be %s here: use kubectl %s namespace"
                  .formatted(key.describe(), what, verb));
      case ENDPOINT_SLICE ->
          throw new UnsupportedException(
              "%s cannot be %s here: Kubernetes makes it of a service and its pods"
                  .formatted(key.describe(), what));
      default -> {}
    }
  }

  private Resource read(ObjectNode object) {
    ObjectNode document =
        object.deepCopy().put("kind", kind.documentKind()).put("apiVersion", kind.apiVersion());
    ObjectNode metadata = JsonTrees.metadata(document);
    metadata.remove("resourceVersion");
    return Resource.stored(
        ResourceKey.of(
            kind,
            kind.isNamespaced() ? JsonTrees.text(metadata, "namespace") : "",
            JsonTrees.name(object)),
        Shapes.canonical(kind, document),
        JsonTrees.revision(object));
  }

  @Override
  public Resource get(ResourceKey key) {
    return read(api.call(ApiCall.get(path(key), key.describe())));
  }

  private ApiCollection collection(ResourceQuery query) {
    boolean inOne = query instanceof ResourceQuery.Named named && named.namespace() != null;
    return new ApiCollection(
        inOne ? path.in(String.valueOf(((ResourceQuery.Named) query).namespace())) : path,
        "",
        "the list of " + kind.plural());
  }

  @Override
  public ResourcePage list(ResourceQuery query, int limit, @Nullable String next) {
    ApiCollection.Part part = collection(query).read(api, limit, next);
    List<Resource> items =
        part.items().stream().map(this::read).filter(it -> query.matches(it.key())).toList();
    return new ResourcePage(
        part.revision(), items, List.of(), part.next().isEmpty() ? null : part.next());
  }

  @Override
  public List<CollectionWatch.Source> changes(ResourceQuery query, String revision) {
    return List.of(
        collection(query)
            .changes(
                revision,
                (change, object) -> {
                  Resource read = read(object);
                  if (!query.matches(read.key())) {
                    return Optional.empty();
                  }
                  return Optional.of(
                      switch (change) {
                        case ADDED -> new ResourceEvent.Added(read);
                        case MODIFIED -> new ResourceEvent.Modified(read);
                        case DELETED ->
                            new ResourceEvent.Deleted(read.key(), read.revision(), read);
                      });
                }));
  }
}
