package io.ocicat.datastore.config;

import io.ocicat.base.Quoted;
import io.ocicat.base.json.Problems;
import io.ocicat.datastore.error.InvalidException;
import io.ocicat.datastore.resource.Resource;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Reads calicoctl's configuration file. Strict: an unknown member is an error. */
final class CalicoctlFile {
  private static final Set<String> KNOWN =
      Set.of(
          "datastoreType",
          "etcdEndpoints",
          "etcdDiscoverySrv",
          "etcdUsername",
          "etcdPassword",
          "etcdKeyFile",
          "etcdCertFile",
          "etcdCACertFile",
          "etcdKey",
          "etcdCert",
          "etcdCACert",
          "kubeconfig",
          "kubeconfigInline",
          "k8sAPIEndpoint",
          "k8sKeyFile",
          "k8sCertFile",
          "k8sCAFile",
          "k8sAPIToken",
          "k8sInsecureSkipTLSVerify",
          "k8sDisableNodePoll",
          "usePodCIDR",
          "k8sClientQPS",
          "k8sClientBurst",
          "k8sCurrentContext",
          "calicoAPIGroup");

  private final JsonNode spec;

  private CalicoctlFile(JsonNode spec) {
    this.spec = spec;
  }

  static DatastoreConfig read(ObjectNode document, Map<String, String> environment) {
    Problems problems = new Problems();
    expect(document, "apiVersion", Resource.API_VERSION, problems);
    expect(document, "kind", "CalicoAPIConfig", problems);
    JsonNode spec = document.path("spec");
    Set<String> unknown = new TreeSet<>(spec.propertyNames());
    unknown.removeAll(KNOWN);
    unknown.forEach(name -> problems.add("spec." + name, "is not known"));
    InvalidException.throwIfAny(problems, "the configuration file");
    return new CalicoctlFile(spec).read(environment);
  }

  private static void expect(ObjectNode document, String name, String wanted, Problems problems) {
    String found = document.path(name).asString("");
    if (!found.equals(wanted)) {
      problems.add(name, "must be %s, not %s".formatted(wanted, Quoted.brief(found)));
    }
  }

  private DatastoreConfig read(Map<String, String> environment) {
    String type = text("datastoreType");
    boolean etcd = !text("etcdEndpoints").isEmpty() || !text("etcdDiscoverySrv").isEmpty();
    boolean kubernetes =
        !text("kubeconfig").isEmpty()
            || !text("kubeconfigInline").isEmpty()
            || !text("k8sAPIEndpoint").isEmpty();
    return switch (type.toLowerCase(Locale.ROOT)) {
      case "embedded" -> ConfigReader.embedded(environment);
      case "etcdv3" -> etcd();
      case "kubernetes" -> kubernetes();
      case "" -> etcd ? etcd() : kubernetes ? kubernetes() : ConfigReader.embedded(environment);
      default -> throw ConfigReader.unknownType(type);
    };
  }

  private DatastoreConfig etcd() {
    return new DatastoreConfig.Etcd(
        ConfigReader.endpoints(text("etcdEndpoints")),
        text("etcdDiscoverySrv"),
        text("etcdUsername"),
        new Secret(text("etcdPassword")),
        new DatastoreConfig.Tls(
            text("etcdKeyFile"),
            text("etcdCertFile"),
            text("etcdCACertFile"),
            new Secret(text("etcdKey")),
            text("etcdCert"),
            text("etcdCACert")));
  }

  private DatastoreConfig kubernetes() {
    return new DatastoreConfig.Kubernetes(
        text("kubeconfig"),
        new Secret(text("kubeconfigInline")),
        text("k8sCurrentContext"),
        text("k8sAPIEndpoint"),
        new Secret(text("k8sAPIToken")),
        text("k8sKeyFile"),
        text("k8sCertFile"),
        text("k8sCAFile"),
        spec.path("k8sInsecureSkipTLSVerify").asBoolean(false),
        spec.path("usePodCIDR").asBoolean(false),
        text("calicoAPIGroup"),
        spec.path("k8sClientQPS").asDouble(0),
        spec.path("k8sClientBurst").asInt(0));
  }

  private String text(String name) {
    JsonNode value = spec.path(name);
    if (value.isMissingNode() || value.isNull()) {
      return "";
    }
    if (!value.isString()) {
      throw new InvalidException(
          "the configuration file is not valid: spec.%s must be a string".formatted(name));
    }
    return value.stringValue();
  }
}
