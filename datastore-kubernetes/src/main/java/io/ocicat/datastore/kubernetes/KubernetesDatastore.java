package io.ocicat.datastore.kubernetes;

import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.cluster.Cluster;
import io.ocicat.datastore.config.DatastoreConfig;
import io.ocicat.datastore.error.InvalidException;
import io.ocicat.datastore.error.UnsupportedException;
import io.ocicat.datastore.kubernetes.client.AccessSource;
import io.ocicat.datastore.kubernetes.client.ApiClient;
import io.ocicat.datastore.kubernetes.client.Discovery;
import io.ocicat.datastore.kubernetes.mapping.CustomResources;
import io.ocicat.datastore.kubernetes.mapping.KubernetesCluster;
import io.ocicat.datastore.kubernetes.mapping.KubernetesNodes;
import io.ocicat.datastore.kubernetes.mapping.KubernetesObjects;
import io.ocicat.datastore.kubernetes.mapping.KubernetesProfiles;
import io.ocicat.datastore.kubernetes.mapping.PodEndpoints;
import io.ocicat.datastore.kubernetes.mapping.ResourceMapping;
import io.ocicat.datastore.model.BuiltInProfile;
import io.ocicat.datastore.model.CrossChecks;
import io.ocicat.datastore.model.ResourceAdmission;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.datastore.resource.ResourcePage;
import io.ocicat.datastore.resource.ResourceQuery;
import io.ocicat.datastore.resource.ResourceWatch;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Calico's resources in the Kubernetes API: endpoints are pods, profiles are namespaces and service
 * accounts, nodes are nodes, Kubernetes' own kinds are themselves, and everything else is a custom
 * resource. A revision is the API's resource version.
 */
final class KubernetesDatastore implements Datastore {
  private static final Duration TIMEOUT = Duration.ofSeconds(10);

  private final ApiClient api;
  private final ResourceAdmission admission = ResourceAdmission.standard();
  private final Discovery discovery;
  private final ResourceMapping endpoints;
  private final ResourceMapping profiles;
  private final ResourceMapping nodes;
  private final Cluster cluster;

  private KubernetesDatastore(ApiClient api, DatastoreConfig.Kubernetes config) {
    this.api = api;
    this.discovery = new Discovery(api, config.apiGroup());
    this.endpoints = new PodEndpoints(api);
    this.profiles = new KubernetesProfiles(api);
    this.nodes = new KubernetesNodes(api, config.usePodCidr());
    this.cluster = new KubernetesCluster(api);
  }

  /** Creates a datastore that connects on first use. */
  static KubernetesDatastore open(
      DatastoreConfig.Kubernetes config, AccessSource.Environment environment) {
    return open(config, environment, TIMEOUT);
  }

  static KubernetesDatastore open(
      DatastoreConfig.Kubernetes config, AccessSource.Environment environment, Duration timeout) {
    return new KubernetesDatastore(new ApiClient(config, environment, timeout), config);
  }

  private ResourceMapping backing(Kind kind) {
    return switch (kind) {
      case WORKLOAD_ENDPOINT -> endpoints;
      case PROFILE -> profiles;
      case NODE -> nodes;
      case NAMESPACE, KUBERNETES_NETWORK_POLICY, CLUSTER_NETWORK_POLICY, ENDPOINT_SLICE ->
          new KubernetesObjects(api, kind);
      case IPAM_HOST ->
          throw new UnsupportedException(
              "the Kubernetes datastore has no %s: it exists in etcd only".formatted(kind));
      default -> new CustomResources(api, discovery.group());
    };
  }

  /** Kubernetes writes one object at a time. */
  @Override
  public boolean hasTransactions() {
    return false;
  }

  @Override
  public Resource create(Resource resource) {
    BuiltInProfile.refuseWrite(resource.key(), "created");
    ResourceMapping backing = backing(resource.kind());
    Resource admitted = admission.forCreate(resource);
    CrossChecks.beforeCreate(this, admitted);
    return backing.create(admitted);
  }

  @Override
  public Resource update(Resource resource) {
    BuiltInProfile.refuseWrite(resource.key(), "updated");
    ResourceMapping backing = backing(resource.kind());
    Resource admitted = admission.forUpdate(resource);
    CrossChecks.beforeUpdate(this, admitted);
    return backing.update(admitted);
  }

  @Override
  public Resource delete(ResourceKey key, @Nullable String revision) {
    BuiltInProfile.refuseWrite(key, "deleted");
    CrossChecks.beforeDelete(this, key);
    return backing(key.kind()).delete(key, revision);
  }

  @Override
  public Resource delete(Resource read) {
    BuiltInProfile.refuseWrite(read.key(), "deleted");
    CrossChecks.beforeDelete(this, read.key());
    return backing(read.kind()).delete(read);
  }

  @Override
  public Resource get(ResourceKey key) {
    api.checkOpen();
    return BuiltInProfile.find(key).orElseGet(() -> backing(key.kind()).get(key));
  }

  @Override
  public ResourcePage list(ResourceQuery query, int limit, @Nullable String next) {
    ResourcePage page = backing(query.kind()).list(query, limit, next);
    if (page.next() != null || BuiltInProfile.matching(query).isEmpty()) {
      return page;
    }
    List<Resource> items = new ArrayList<>(page.items());
    items.addAll(BuiltInProfile.matching(query));
    return new ResourcePage(page.revision(), items, page.unreadable(), null);
  }

  @Override
  public ResourceWatch watch(ResourceQuery query, String revision) {
    if (revision.isEmpty()) {
      throw new InvalidException(
          "%s cannot be watched without a revision: use one that was read".formatted(query.kind()));
    }
    api.checkOpen();
    return new KubernetesWatch(
        api, query.kind().plural(), backing(query.kind()).changes(query, revision));
  }

  @Override
  public Cluster cluster() {
    return cluster;
  }

  @Override
  public void close() {
    api.close();
  }
}
