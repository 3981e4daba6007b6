package io.ocicat.datastore.kubernetes.mapping;

import io.ocicat.base.json.Json;
import io.ocicat.datastore.error.ConflictException;
import io.ocicat.datastore.error.CorruptException;
import io.ocicat.datastore.error.NotFoundException;
import io.ocicat.datastore.error.UnsupportedException;
import io.ocicat.datastore.kubernetes.client.ApiCall;
import io.ocicat.datastore.kubernetes.client.ApiClient;
import io.ocicat.datastore.kubernetes.client.ApiCollection;
import io.ocicat.datastore.kubernetes.client.ApiPath;
import io.ocicat.datastore.kubernetes.client.CollectionWatch;
import io.ocicat.datastore.kubernetes.client.JsonTrees;
import io.ocicat.datastore.model.WorkloadEndpointName;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceEvent;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.datastore.resource.ResourcePage;
import io.ocicat.datastore.resource.ResourceQuery;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * Maps workload endpoints to pods. Writing one only annotates the pod with its addresses and
 * container, deleting one only clears the annotations with its addresses; the rest is the pod's
 * own. A write ignores whether the pod has changed since it was read, because kubelet changes it
 * all the time, but it must be the same pod.
 */
public final class PodEndpoints implements ResourceMapping {
  /** The start of a watch that must first see what exists, because no revision is known. */
  private static final String NOW = "0";

  private final ApiClient api;

  public PodEndpoints(ApiClient api) {
    this.api = api;
  }

  @Override
  public Resource create(Resource resource) {
    return annotate(resource, "");
  }

  @Override
  public Resource update(Resource resource) {
    return annotate(resource, resource.text("metadata", "uid").orElse(""));
  }

  private Resource annotate(Resource resource, String uid) {
    String pod = pod(resource.key());
    Map<String, String> written =
        resource.read(content -> PodAnnotations.written(content.path("spec")));
    if (written.isEmpty()) {
      return get(resource.key());
    }
    ObjectNode patch = Json.object();
    ObjectNode metadata = patch.putObject("metadata");
    ObjectNode annotations = metadata.putObject("annotations");
    new TreeMap<>(written).forEach(annotations::put);
    if (!uid.isEmpty()) {
      metadata.put("uid", uid);
    }
    ObjectNode patched =
        api.call(ApiCall.patch(status(resource.key(), pod), patch, resource.describe()));
    return PodEndpoint.of(patched);
  }

  private static ApiPath status(ResourceKey key, String pod) {
    return path(key.namespace(), pod).sub("status");
  }

  private static ApiPath path(String namespace, String pod) {
    return KubernetesCluster.PODS.in(namespace).named(pod);
  }

  /** The pod in an endpoint's name. */
  private static String pod(ResourceKey key) {
    return WorkloadEndpointName.parse(key.name())
        .filter(name -> name.orchestrator().equals(WorkloadEndpointName.KUBERNETES))
        .map(WorkloadEndpointName::workload)
        .orElseThrow(
            () ->
                new UnsupportedException(
                    "%s is not that of a pod, and the Kubernetes datastore has no others"
                        .formatted(key.describe())));
  }

  @Override
  public Resource get(ResourceKey key) {
    return PodEndpoint.of(find(key));
  }

  private ObjectNode find(ResourceKey key) {
    NotFoundException none = new NotFoundException(key.describe() + " does not exist");
    String name =
        WorkloadEndpointName.parse(key.name())
            .filter(parsed -> parsed.orchestrator().equals(WorkloadEndpointName.KUBERNETES))
            .map(WorkloadEndpointName::workload)
            .orElseThrow(() -> none);
    ObjectNode pod = api.call(ApiCall.get(path(key.namespace(), name), key.describe()));
    if (!PodEndpoint.isOne(pod) || !PodEndpoint.key(pod).equals(key)) {
      throw none;
    }
    return pod;
  }

  @Override
  public Resource delete(ResourceKey key, @Nullable String revision) {
    ObjectNode pod = find(key);
    if (revision != null && !JsonTrees.revision(pod).equals(revision)) {
      throw new ConflictException(
          "%s has been changed by somebody else: read it again and repeat the change"
              .formatted(key.describe()));
    }
    empty(key, revision, JsonTrees.text(JsonTrees.metadata(pod), "uid"));
    return PodEndpoint.of(pod);
  }

  /** The API itself verifies that it is the pod that was read, so it is not read again. */
  @Override
  public Resource delete(Resource read) {
    empty(read.key(), read.revision(), read.text("metadata", "uid").orElse(""));
    return read;
  }

  private void empty(ResourceKey key, @Nullable String revision, String uid) {
    ObjectNode patch = Json.object();
    ObjectNode metadata = patch.putObject("metadata");
    metadata
        .putObject("annotations")
        .put(PodAnnotations.POD_IP, "")
        .put(PodAnnotations.POD_IPS, "");
    if (revision != null) {
      metadata.put("resourceVersion", revision);
    }
    metadata.put("uid", uid);
    api.call(ApiCall.patch(status(key, pod(key)), patch, key.describe()));
  }

  @Override
  public ResourcePage list(ResourceQuery query, int limit, @Nullable String next) {
    ResourceQuery.Named named = (ResourceQuery.Named) query;
    Optional<ApiPath> one = single(named);
    if (one.isPresent()) {
      return listOne(query, one.get());
    }
    ApiCollection.Part part = collection(named).read(api, limit, next);
    return page(query, part.revision(), part.items(), part.next());
  }

  /** A plugin may get its pod, but not list pods. */
  private ResourcePage listOne(ResourceQuery query, ApiPath path) {
    try {
      ObjectNode pod = api.call(ApiCall.get(path, "pod " + path.namespace() + "/" + path.name()));
      return page(query, JsonTrees.revision(pod), List.of(pod), "");
    } catch (NotFoundException _) {
      return new ResourcePage(NOW, List.of(), List.of(), null);
    }
  }

  private static ResourcePage page(
      ResourceQuery query, String revision, List<ObjectNode> pods, String next) {
    List<Resource> items = new ArrayList<>();
    List<ResourcePage.Unreadable> unreadable = new ArrayList<>();
    for (ObjectNode pod : pods) {
      if (PodEndpoint.isOne(pod)) {
        try {
          Resource endpoint = PodEndpoint.of(pod);
          if (query.matches(endpoint.key())) {
            items.add(endpoint);
          }
        } catch (CorruptException e) {
          unreadable.add(new ResourcePage.Unreadable(key(pod), String.valueOf(e.getMessage())));
        }
      }
    }
    return new ResourcePage(revision, items, unreadable, next.isEmpty() ? null : next);
  }

  /**
   * The pod whose whole name is in the beginning of an endpoint's name. As in Calico, others whose
   * names continue with a dash are not listed; the reader would have to filter them out anyway.
   */
  private static Optional<ApiPath> single(ResourceQuery.Named query) {
    if (query.namespace() == null || query.namePrefix().isEmpty()) {
      return Optional.empty();
    }
    String prefix = query.namePrefix();
    boolean whole = WorkloadEndpointName.parse(prefix + "x").isPresent();
    try {
      String pod = WorkloadEndpointName.parseLoosely(prefix + "x").workload();
      return whole && !pod.isEmpty() ? Optional.of(path(query.namespace(), pod)) : Optional.empty();
    } catch (IllegalArgumentException _) {
      return Optional.empty();
    }
  }

  private static ApiCollection collection(ResourceQuery.Named query) {
    ApiPath pods =
        query.namespace() == null
            ? KubernetesCluster.PODS
            : KubernetesCluster.PODS.in(query.namespace());
    return new ApiCollection(pods, "", "the list of pods");
  }

  /** A pod that is scheduled becomes an endpoint by a modification, and is reported as added. */
  @Override
  public List<CollectionWatch.Source> changes(ResourceQuery query, String revision) {
    return List.of(
        collection((ResourceQuery.Named) query)
            .changes(revision, (change, pod) -> translate(query, change, pod)));
  }

  /** Null for a pod whose name is not valid. */
  private static @Nullable ResourceKey key(ObjectNode pod) {
    try {
      return PodEndpoint.key(pod);
    } catch (CorruptException _) {
      return null;
    }
  }

  private static Optional<ResourceEvent> translate(
      ResourceQuery query, CollectionWatch.Change change, ObjectNode pod) {
    if (!PodEndpoint.isOne(pod)) {
      return Optional.empty();
    }
    ResourceKey key = key(pod);
    if (key == null || !query.matches(key)) {
      return Optional.empty();
    }
    String revision = JsonTrees.revision(pod);
    try {
      Resource endpoint = PodEndpoint.of(pod);
      return Optional.of(
          switch (change) {
            case ADDED -> new ResourceEvent.Added(endpoint);
            case MODIFIED -> new ResourceEvent.Modified(endpoint);
            case DELETED -> new ResourceEvent.Deleted(key, revision, endpoint);
          });
    } catch (CorruptException e) {
      return Optional.of(
          change == CollectionWatch.Change.DELETED
              ? new ResourceEvent.Deleted(key, revision, null)
              : new ResourceEvent.Unreadable(key, revision, String.valueOf(e.getMessage())));
    }
  }
}
