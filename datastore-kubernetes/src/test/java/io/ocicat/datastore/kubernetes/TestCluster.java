package io.ocicat.datastore.kubernetes;

import io.ocicat.base.json.Json;
import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.kubernetes.client.JsonTrees;
import io.ocicat.datastore.model.ApiGroup;
import io.ocicat.datastore.model.Crds;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** A small API server for the tests of other modules. */
public final class TestCluster implements AutoCloseable {
  private final ApiServer server;

  public TestCluster(ApiGroup group) {
    this(group, null);
  }

  /** With TLS, as every real one has. */
  public TestCluster(ApiGroup group, @Nullable SSLContext tls) {
    server = new ApiServer(tls);
    server.define(Crds.of(group));
  }

  /**
   * Creates what every real cluster has initially: namespaces with their service accounts, and a
   * node, each with what the server and kubelet add.
   */
  public TestCluster populate(String node) {
    for (String name : List.of("default", "kube-system", "kube-public", "kube-node-lease")) {
      ObjectNode namespace = Json.object().put("apiVersion", "v1").put("kind", "Namespace");
      namespace
          .putObject("metadata")
          .put("name", name)
          .putObject("labels")
          .put("kubernetes.io/metadata.name", name);
      namespace.putObject("spec").putArray("finalizers").add("kubernetes");
      namespace.putObject("status").put("phase", "Active");
      server.put("namespaces", name, namespace);
      put("serviceaccounts", name, "default", Json.object());
    }
    ObjectNode joined = Json.object().put("apiVersion", "v1").put("kind", "Node");
    ObjectNode metadata = joined.putObject("metadata").put("name", node);
    metadata
        .putObject("labels")
        .put("kubernetes.io/hostname", node)
        .put("kubernetes.io/os", "linux");
    metadata
        .putObject("annotations")
        .put("projectcalico.org/ASNumber", "64512")
        .put("projectcalico.org/IPv4Address", "192.0.2.1/24");
    joined
        .putObject("spec")
        .put("podCIDR", "10.244.0.0/24")
        .putArray("podCIDRs")
        .add("10.244.0.0/24");
    server.put("nodes", node, joined);
    return this;
  }

  /** Sets the server's default for a member of a resource's spec. */
  public void giveDefault(String collection, String member, String value) {
    String definitions = "customresourcedefinitions.apiextensions.k8s.io";
    ObjectNode definition = server.store().get(definitions, collection).orElseThrow();
    ((ObjectNode) definition.at("/spec/versions/0/schema/openAPIV3Schema/properties/spec"))
        .withObject("/properties/" + member)
        .put("type", "string")
        .put("default", value);
    server.put(definitions, collection, definition);
  }

  /** Opens another client, as another process would. */
  public Datastore open() {
    return Opening.open(server);
  }

  /** The URL, for clients that connect by themselves. */
  public String url() {
    return server.url();
  }

  /** Requires a token from now on; these may do everything. */
  public void accept(String... tokens) {
    server.accept(tokens);
  }

  /** Limits this token to these permissions, each as in {@code patch pods/status}. */
  public void grant(String token, Set<String> permissions) {
    server.grant(token, permissions);
  }

  /**
   * Denies a permission to everybody, as in {@code deny("create",
   * "ippools.crd.projectcalico.org")}.
   */
  public void deny(String verb, String resource) {
    server.deny(verb, resource);
  }

  public void allow(String verb, String resource) {
    server.allow(verb, resource);
  }

  public void revoke(String token) {
    server.revoke(token);
  }

  /** Creates or replaces a node. */
  public void node(String name, Map<String, String> labels) {
    node(name, labels, List.of());
  }

  public void node(String name, Map<String, String> labels, List<String> podCidrs) {
    ObjectNode node = Json.object();
    ObjectNode metadata = node.putObject("metadata").put("name", name);
    labels.forEach(metadata.putObject("labels")::put);
    podCidrs.forEach(node.putObject("spec").putArray("podCIDRs")::add);
    server.put("nodes", name, node);
  }

  /** Creates or replaces a namespace. */
  public void namespace(String name, Map<String, String> annotations) {
    ObjectNode namespace = Json.object();
    ObjectNode metadata = namespace.putObject("metadata").put("name", name);
    annotations.forEach(metadata.putObject("annotations")::put);
    server.put("namespaces", name, namespace);
  }

  /** Creates or replaces a pod from its manifest. */
  public void pod(ObjectNode manifest) {
    ObjectNode metadata = JsonTrees.metadata(manifest);
    server.put(
        "pods",
        Target.key(JsonTrees.text(metadata, "namespace"), JsonTrees.name(manifest)),
        manifest);
  }

  /** Returns a pod's manifest. */
  public Optional<ObjectNode> pod(String namespace, String name) {
    return server.store().get("pods", Target.key(namespace, name));
  }

  public void deletePods() {
    Set<String> keys = server.store().at("pods", Long.MAX_VALUE).keySet();
    keys.forEach(key -> server.store().remove("pods", key));
  }

  /** Returns the requests since the last reset, as in {@code get pods}. */
  public List<String> asked() {
    return server.seen().stream()
        .map(
            request ->
                "%s %s%s"
                    .formatted(
                        request.verb(),
                        request.target().collection(),
                        request.target().sub().isEmpty() ? "" : "/" + request.target().sub()))
        .toList();
  }

  /** Runs an action before each request except watches is answered. */
  public void before(Consumer<String> action) {
    server.before(action);
  }

  public void forgetAsked() {
    server.forgetSeen();
  }

  /** Stops the server. */
  public void stop() {
    server.stop();
  }

  /** Restarts the server at the same address. */
  public void restart() {
    server.restart();
  }

  /** Creates or replaces an object, valid or not. */
  public void put(String collection, String name, ObjectNode object) {
    object.withObject("/metadata").put("name", name);
    server.put(collection, name, object);
  }

  public void remove(String collection, String name) {
    server.store().remove(collection, name);
  }

  /** Creates or replaces an object of a namespace, valid or not. */
  public void put(String collection, String namespace, String name, ObjectNode object) {
    object.withObject("/metadata").put("name", name).put("namespace", namespace);
    server.put(collection, Target.key(namespace, name), object);
  }

  public Optional<ObjectNode> get(String collection, String name) {
    return server.store().get(collection, name);
  }

  public Optional<ObjectNode> get(String collection, String namespace, String name) {
    return server.store().get(collection, Target.key(namespace, name));
  }

  public void remove(String collection, String namespace, String name) {
    server.store().remove(collection, Target.key(namespace, name));
  }

  /** Makes a resource type known to the API, as {@code virtualmachines.kubevirt.io}. */
  public void define(String collection) {
    ObjectNode definition = Json.object();
    definition.putObject("metadata").put("name", collection);
    definition.putObject("spec").put("group", collection.substring(collection.indexOf('.') + 1));
    server.define(List.of(definition));
  }

  @Override
  public void close() {
    server.close();
  }
}
