package io.ocicat.datastore.kubernetes.mapping;

import io.ocicat.base.json.Json;
import io.ocicat.datastore.error.InvalidException;
import io.ocicat.datastore.error.NotFoundException;
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
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * Maps profiles to namespaces ({@code kns.shop}) and service accounts ({@code ksa.shop.default}).
 * They are read-only here. The revision of a list has two parts, {@code namespaces/accounts}; that
 * of a single profile is its own.
 */
public final class KubernetesProfiles implements ResourceMapping {
  private static final String NAMESPACE = "kns.";
  private static final String ACCOUNT = "ksa.";
  private static final String NAMESPACE_LABEL = "pcns.";
  private static final String ACCOUNT_LABEL = "pcsa.";
  private static final String NAME_LABEL = "projectcalico.org/name";
  private static final ApiCollection NAMESPACES =
      new ApiCollection(KubernetesCluster.NAMESPACES, "", "the list of namespaces");
  private static final ApiCollection ACCOUNTS =
      new ApiCollection(ApiPath.core("serviceaccounts"), "", "the list of service accounts");

  private final ApiClient api;

  public KubernetesProfiles(ApiClient api) {
    this.api = api;
  }

  public static String ofNamespace(String namespace) {
    return NAMESPACE + namespace;
  }

  public static String ofServiceAccount(String namespace, String account) {
    return ACCOUNT + (namespace.isEmpty() ? "default" : namespace) + "." + account;
  }

  @Override
  public Resource create(Resource resource) {
    throw readOnly(resource.key());
  }

  @Override
  public Resource update(Resource resource) {
    throw readOnly(resource.key());
  }

  @Override
  public Resource delete(ResourceKey key, @Nullable String revision) {
    throw readOnly(key);
  }

  private static UnsupportedException readOnly(ResourceKey key) {
    return new UnsupportedException(
        "%s cannot be written: profiles are the namespaces and service accounts of Kubernetes, change those with kubectl"
            .formatted(key.describe()));
  }

  @Override
  public Resource get(ResourceKey key) {
    String name = key.name();
    if (name.startsWith(NAMESPACE)) {
      String namespace = name.substring(NAMESPACE.length());
      return namespaceProfile(
          api.call(ApiCall.get(NAMESPACES.path().named(namespace), key.describe())));
    }
    // Neither the names of namespaces nor the first part of an account's name contain dots.
    String[] parts = name.split("\\.", 3);
    if (!name.startsWith(ACCOUNT) || parts.length < 3 || parts[1].isEmpty() || parts[2].isEmpty()) {
      throw new NotFoundException(key.describe() + " does not exist");
    }
    return accountProfile(
        api.call(ApiCall.get(ACCOUNTS.path().in(parts[1]).named(parts[2]), key.describe())));
  }

  private static Resource namespaceProfile(ObjectNode namespace) {
    String name = JsonTrees.name(namespace);
    ObjectNode spec = Json.object();
    spec.putArray("ingress").addObject().put("action", "Allow");
    spec.putArray("egress").addObject().put("action", "Allow");
    ObjectNode labels = spec.putObject("labelsToApply");
    JsonTrees.texts(JsonTrees.metadata(namespace), "labels")
        .forEach((label, value) -> labels.put(NAMESPACE_LABEL + label, value));
    labels.put(NAMESPACE_LABEL + NAME_LABEL, name);
    return profile(ofNamespace(name), namespace, spec, JsonTrees.revision(namespace) + "/");
  }

  private static Resource accountProfile(ObjectNode account) {
    String name = JsonTrees.name(account);
    ObjectNode spec = Json.object();
    ObjectNode labels = spec.putObject("labelsToApply");
    JsonTrees.texts(JsonTrees.metadata(account), "labels")
        .forEach((label, value) -> labels.put(ACCOUNT_LABEL + label, value));
    labels.put(ACCOUNT_LABEL + NAME_LABEL, name);
    return profile(
        ofServiceAccount(JsonTrees.text(JsonTrees.metadata(account), "namespace"), name),
        account,
        spec,
        "/" + JsonTrees.revision(account));
  }

  private static Resource profile(String name, ObjectNode from, ObjectNode spec, String revision) {
    ObjectNode document =
        Json.object().put("kind", Kind.PROFILE.text()).put("apiVersion", Resource.API_VERSION);
    ObjectNode metadata = document.putObject("metadata").put("name", name);
    String uid = JsonTrees.text(JsonTrees.metadata(from), "uid");
    if (!uid.isEmpty()) {
      metadata.put("uid", CrdUids.swap(uid));
    }
    if (JsonTrees.metadata(from).has("creationTimestamp")) {
      metadata.set("creationTimestamp", JsonTrees.metadata(from).get("creationTimestamp"));
    }
    document.set("spec", spec);
    return Resource.stored(
        ResourceKey.of(Kind.PROFILE, name), Shapes.canonical(Kind.PROFILE, document), revision);
  }

  /** First all namespaces, then all accounts; the page token keeps the revision of the first. */
  @Override
  public ResourcePage list(ResourceQuery query, int limit, @Nullable String next) {
    List<Resource> items = new ArrayList<>();
    if (next == null || next.startsWith("n:")) {
      ApiCollection.Part part =
          NAMESPACES.read(api, limit, next == null ? null : next.substring(2));
      part.items().forEach(item -> add(query, namespaceProfile(item), items));
      String following = part.next().isEmpty() ? "a:" + part.revision() + ":" : "n:" + part.next();
      return new ResourcePage(part.revision() + "/", items, List.of(), following);
    }
    String[] parts = next.split(":", 3);
    if (parts.length != 3 || !parts[0].equals("a")) {
      throw new InvalidException(
          "\"%s\" does not continue a list of profiles: start again".formatted(next));
    }
    ApiCollection.Part part = ACCOUNTS.read(api, limit, parts[2].isEmpty() ? null : parts[2]);
    part.items().forEach(item -> add(query, accountProfile(item), items));
    return new ResourcePage(
        parts[1] + "/" + part.revision(),
        items,
        List.of(),
        part.next().isEmpty() ? null : "a:" + parts[1] + ":" + part.next());
  }

  private static void add(ResourceQuery query, Resource profile, List<Resource> items) {
    if (query.matches(profile.key())) {
      items.add(profile);
    }
  }

  @Override
  public List<CollectionWatch.Source> changes(ResourceQuery query, String revision) {
    String[] parts = revision.split("/", -1);
    if (parts.length != 2) {
      throw new InvalidException(
          "revision \"%s\" is not a revision of profiles: use one that was read"
              .formatted(revision));
    }
    return List.of(
        NAMESPACES.changes(
            parts[0], (change, object) -> translate(query, change, namespaceProfile(object))),
        ACCOUNTS.changes(
            parts[1], (change, object) -> translate(query, change, accountProfile(object))));
  }

  private static Optional<ResourceEvent> translate(
      ResourceQuery query, CollectionWatch.Change change, Resource profile) {
    if (!query.matches(profile.key())) {
      return Optional.empty();
    }
    return Optional.of(
        switch (change) {
          case ADDED -> new ResourceEvent.Added(profile);
          case MODIFIED -> new ResourceEvent.Modified(profile);
          case DELETED -> new ResourceEvent.Deleted(profile.key(), profile.revision(), profile);
        });
  }
}
