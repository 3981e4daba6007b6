package io.ocicat.datastore.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.base.json.Json;
import io.ocicat.datastore.config.DatastoreConfig;
import io.ocicat.datastore.config.Secret;
import io.ocicat.datastore.error.ExistsException;
import io.ocicat.datastore.error.NotFoundException;
import io.ocicat.datastore.kubernetes.client.ApiCall;
import io.ocicat.datastore.kubernetes.client.ApiClient;
import io.ocicat.datastore.kubernetes.client.ApiCollection;
import io.ocicat.datastore.kubernetes.client.ApiPath;
import io.ocicat.datastore.kubernetes.client.JsonTrees;
import io.ocicat.datastore.kubernetes.mapping.KubernetesCluster;
import io.ocicat.datastore.model.ApiGroup;
import io.ocicat.datastore.model.Crds;
import io.ocicat.testkit.Eventually;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The cluster of OCICAT_TEST_KUBECONFIG, which must not have Calico: the definitions are installed
 * for the tests, their objects are deleted before each, and the definitions are removed in the end.
 * Everything created has a label, and nothing else is ever deleted.
 */
final class RealCluster implements AutoCloseable {
  static final String VARIABLE = "OCICAT_TEST_KUBECONFIG";
  static final List<String> NAMESPACES = List.of("shop", "shop-2", "other");
  private static final String LABEL = "ocicat.io/test";
  private static final Duration LIMIT = Duration.ofMinutes(3);
  private static final double FAST = 500;
  private static final ApiPath DEFINITIONS =
      new ApiPath("apiextensions.k8s.io", "v1", "customresourcedefinitions", "", "", "");

  private final ApiGroup group;
  private final ApiClient api;

  RealCluster(ApiGroup group) {
    this.group = group;
    this.api = new ApiClient(config(group), Opening.NOWHERE, Duration.ofSeconds(30));
    Crds.of(group).forEach(this::install);
  }

  static DatastoreConfig.Kubernetes config(ApiGroup group) {
    return new DatastoreConfig.Kubernetes(
        Objects.requireNonNull(System.getenv(VARIABLE)),
        new Secret(""),
        "",
        "",
        new Secret(""),
        "",
        "",
        "",
        false,
        false,
        group.apiVersion(),
        FAST,
        0);
  }

  ApiClient api() {
    return api;
  }

  private void install(ObjectNode definition) {
    ApiPath path = DEFINITIONS.named(JsonTrees.name(definition));
    Optional<ObjectNode> there = find(path);
    if (there.isPresent()) {
      assertThat(isOurs(there.get()))
          .as("%s exists: %s must be a cluster without Calico", path.name(), VARIABLE)
          .isTrue();
      awaitAbsenceOfDeleted(path, there.get());
    }
    create(DEFINITIONS, definition);
    Eventually.await(
        path.name() + " is established",
        LIMIT,
        () -> find(path).filter(RealCluster::isEstablished).isPresent());
  }

  private static boolean isEstablished(ObjectNode definition) {
    for (JsonNode condition : definition.path("status").path("conditions")) {
      if (JsonTrees.text(condition, "type").equals("Established")) {
        return JsonTrees.text(condition, "status").equals("True");
      }
    }
    return false;
  }

  private static boolean isOurs(ObjectNode object) {
    return JsonTrees.texts(JsonTrees.metadata(object), "labels").containsKey(LABEL);
  }

  private void awaitAbsenceOfDeleted(ApiPath path, ObjectNode object) {
    if (JsonTrees.metadata(object).has("deletionTimestamp")) {
      Eventually.await(path + " is gone", LIMIT, () -> find(path).isEmpty());
    }
  }

  Optional<ObjectNode> find(ApiPath path) {
    try {
      return Optional.of(api.call(ApiCall.get(path, path.text())));
    } catch (NotFoundException _) {
      return Optional.empty();
    }
  }

  /** Creates an object with our label; an existing one stays. */
  ObjectNode create(ApiPath collection, ObjectNode object) {
    ObjectNode labelled = object.deepCopy();
    labelled.withObject("/metadata").withObject("/labels").put(LABEL, "true");
    ApiPath path = collection.named(JsonTrees.name(object));
    try {
      return api.call(ApiCall.create(collection, labelled, path.text()));
    } catch (ExistsException _) {
      return find(path).orElseThrow();
    }
  }

  void delete(ApiPath path) {
    find(path)
        .filter(RealCluster::isOurs)
        .ifPresent(
            _ -> {
              try {
                api.call(
                    ApiCall.delete(path, Json.object().put("gracePeriodSeconds", 0), path.text()));
              } catch (NotFoundException _) {
                // A concurrent writer was faster.
              }
            });
  }

  /** Ensures that the namespaces exist and that no custom resource does. */
  void prepare() {
    for (String name : NAMESPACES) {
      ApiPath path = KubernetesCluster.NAMESPACES.named(name);
      find(path).ifPresent(namespace -> awaitAbsenceOfDeleted(path, namespace));
      ObjectNode namespace = Json.object().put("apiVersion", "v1").put("kind", "Namespace");
      namespace.putObject("metadata").put("name", name);
      create(KubernetesCluster.NAMESPACES, namespace);
    }
    for (ObjectNode definition : Crds.of(group)) {
      empty(
          new ApiPath(
              group.group(),
              group.version(),
              definition.at("/spec/names/plural").stringValue(),
              "",
              "",
              ""));
    }
  }

  private void empty(ApiPath collection) {
    for (ObjectNode object :
        new ApiCollection(collection, "", collection.text()).read(api, 0, null).items()) {
      ApiPath path =
          collection
              .in(JsonTrees.text(JsonTrees.metadata(object), "namespace"))
              .named(JsonTrees.name(object));
      api.call(ApiCall.delete(path, Json.object(), path.text()));
    }
  }

  @Override
  public void close() {
    for (ObjectNode definition : Crds.of(group)) {
      delete(DEFINITIONS.named(JsonTrees.name(definition)));
    }
    NAMESPACES.forEach(name -> delete(KubernetesCluster.NAMESPACES.named(name)));
    for (ObjectNode definition : Crds.of(group)) {
      ApiPath path = DEFINITIONS.named(JsonTrees.name(definition));
      Eventually.await(path + " is gone", LIMIT, () -> find(path).isEmpty());
    }
    api.close();
  }
}
