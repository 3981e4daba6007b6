package io.ocicat.datastore.kubernetes;

import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.json.Json;
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

/** A small API server for the tests of modules that stand on a datastore. */
public final class TestCluster implements AutoCloseable {
  private final ApiServer server;

  public TestCluster(ApiGroup group) {
    this(group, null);
  }

  /** One that speaks TLS, as all do that are not tests. */
  public TestCluster(ApiGroup group, @Nullable SSLContext tls) {
    server = new ApiServer(tls);
    server.define(Crds.of(group));
  }

  /**
   * What every real cluster has before anybody installs something: namespaces with their service
   * accounts, and a node, each with what the server and kubelet put there.
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

  /** From now on the server gives a member of a resource's spec this value when it is left out. */
  public void giveDefault(String collection, String member, String value) {
    String definitions = "customresourcedefinitions.apiextensions.k8s.io";
    ObjectNode definition = server.store().get(definitions, collection).orElseThrow();
    ((ObjectNode) definition.at("/spec/versions/0/schema/openAPIV3Schema/properties/spec"))
        .withObject("/properties/" + member)
        .put("type", "string")
        .put("default", value);
    server.put(definitions, collection, definition);
  }

  /** One more way to it, as another process would have it. */
  public Datastore open() {
    return Opening.open(server);
  }

  /** Where it is, for whoever finds its own way. */
  public String url() {
    return server.url();
  }

  /** From now on a token is needed, and these may do everything. */
  public void accept(String... tokens) {
    server.accept(tokens);
  }

  /** Whoever has this token may do no more than that, each as in {@code patch pods/status}. */
  public void grant(String token, Set<String> permissions) {
    server.grant(token, permissions);
  }

  /** Nobody may do this any more, as in {@code deny("create", "ippools.crd.projectcalico.org")}. */
  public void deny(String verb, String resource) {
    server.deny(verb, resource);
  }

  public void allow(String verb, String resource) {
    server.allow(verb, resource);
  }

  public void revoke(String token) {
    server.revoke(token);
  }

  /** Makes or replaces a node. */
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

  /** Makes or replaces a namespace. */
  public void namespace(String name, Map<String, String> annotations) {
    ObjectNode namespace = Json.object();
    ObjectNode metadata = namespace.putObject("metadata").put("name", name);
    annotations.forEach(metadata.putObject("annotations")::put);
    server.put("namespaces", name, namespace);
  }

  /** Makes or replaces a pod, as its manifest says. */
  public void pod(ObjectNode manifest) {
    ObjectNode metadata = JsonTrees.metadata(manifest);
    server.put(
        "pods",
        Target.key(JsonTrees.text(metadata, "namespace"), JsonTrees.name(manifest)),
        manifest);
  }

  /** What there is of a pod. */
  public Optional<ObjectNode> pod(String namespace, String name) {
    return server.store().get("pods", Target.key(namespace, name));
  }

  public void deletePods() {
    Set<String> keys = server.store().at("pods", Long.MAX_VALUE).keySet();
    keys.forEach(key -> server.store().remove("pods", key));
  }

  /** What was asked since somebody last forgot, as in {@code get pods}. */
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

  /** Has something done before each request but watches is answered. */
  public void before(Consumer<String> action) {
    server.before(action);
  }

  public void forgetAsked() {
    server.forgetSeen();
  }

  /** Nobody answers any more. */
  public void stop() {
    server.stop();
  }

  /** At the same address as before. */
  public void restart() {
    server.restart();
  }

  /** Makes or replaces an object, whatever is wrong with it. */
  public void put(String collection, String name, ObjectNode object) {
    object.withObject("/metadata").put("name", name);
    server.put(collection, name, object);
  }

  public void remove(String collection, String name) {
    server.store().remove(collection, name);
  }

  /** Makes or replaces an object of a namespace, whatever is wrong with it. */
  public void put(String collection, String namespace, String name, ObjectNode object) {
    object.withObject("/metadata").put("name", name).put("namespace", namespace);
    server.put(collection, Target.key(namespace, name), object);
  }

  public Optional<ObjectNode> get(String collection, String namespace, String name) {
    return server.store().get(collection, Target.key(namespace, name));
  }

  public void remove(String collection, String namespace, String name) {
    server.store().remove(collection, Target.key(namespace, name));
  }

  /** From now on the API knows objects like these, as {@code virtualmachines.kubevirt.io}. */
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
