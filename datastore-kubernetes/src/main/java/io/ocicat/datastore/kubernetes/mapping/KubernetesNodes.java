package io.ocicat.datastore.kubernetes.mapping;

import io.ocicat.datastore.error.ConflictException;
import io.ocicat.datastore.error.InvalidException;
import io.ocicat.datastore.error.UnsupportedException;
import io.ocicat.datastore.kubernetes.client.ApiCall;
import io.ocicat.datastore.kubernetes.client.ApiClient;
import io.ocicat.datastore.kubernetes.client.ApiCollection;
import io.ocicat.datastore.kubernetes.client.ApiPath;
import io.ocicat.datastore.kubernetes.client.CollectionWatch;
import io.ocicat.datastore.kubernetes.client.JsonTrees;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceEvent;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.datastore.resource.ResourcePage;
import io.ocicat.datastore.resource.ResourceQuery;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** Maps Calico's nodes to Kubernetes nodes. Data that only Calico has is in annotations. */
public final class KubernetesNodes implements ResourceMapping {
  private static final ApiCollection NODES =
      new ApiCollection(KubernetesCluster.NODES, "", "the list of nodes");

  private final ApiClient api;
  private final boolean usePodCidr;

  public KubernetesNodes(ApiClient api, boolean usePodCidr) {
    this.api = api;
    this.usePodCidr = usePodCidr;
  }

  @Override
  public Resource create(Resource resource) {
    throw unsupported(resource.key(), "created: it appears when its machine joins the cluster");
  }

  @Override
  public Resource delete(ResourceKey key, @Nullable String revision) {
    throw unsupported(key, "deleted: use kubectl delete node");
  }

  private static UnsupportedException unsupported(ResourceKey key, String what) {
    return new UnsupportedException("%s cannot be %s".formatted(key.describe(), what));
  }

  @Override
  public Resource update(Resource resource) {
    ApiPath path = NODES.path().named(resource.key().name());
    ObjectNode node = api.call(ApiCall.get(path, resource.describe()));
    if (!JsonTrees.revision(node).equals(resource.revision())) {
      throw new ConflictException(
          "%s has been changed by somebody else: read it again and repeat the change"
              .formatted(resource.describe()));
    }
    if (!NodeAnnotations.hasLabelsOf(node, resource.labels())) {
      throw new InvalidException(
          "%s would change or lack a label that Kubernetes has: change those with kubectl label node; labels of Calico's own can be added and removed here"
              .formatted(resource.describe()));
    }
    NodeAnnotations.write(resource.content(), node);
    ObjectNode written = api.call(ApiCall.update(path.sub("status"), node, resource.describe()));
    return NodeAnnotations.read(written, usePodCidr);
  }

  @Override
  public Resource get(ResourceKey key) {
    return NodeAnnotations.read(
        api.call(ApiCall.get(NODES.path().named(key.name()), key.describe())), usePodCidr);
  }

  @Override
  public ResourcePage list(ResourceQuery query, int limit, @Nullable String next) {
    ApiCollection.Part part = NODES.read(api, limit, next);
    List<Resource> items =
        part.items().stream()
            .map(node -> NodeAnnotations.read(node, usePodCidr))
            .filter(node -> query.matches(node.key()))
            .toList();
    return new ResourcePage(
        part.revision(), items, List.of(), part.next().isEmpty() ? null : part.next());
  }

  @Override
  public List<CollectionWatch.Source> changes(ResourceQuery query, String revision) {
    return List.of(
        NODES.changes(
            revision,
            (change, object) -> {
              Resource node = NodeAnnotations.read(object, usePodCidr);
              if (!query.matches(node.key())) {
                return Optional.empty();
              }
              return Optional.of(
                  switch (change) {
                    case ADDED -> new ResourceEvent.Added(node);
                    case MODIFIED -> new ResourceEvent.Modified(node);
                    case DELETED -> new ResourceEvent.Deleted(node.key(), node.revision(), node);
                  });
            }));
  }
}
