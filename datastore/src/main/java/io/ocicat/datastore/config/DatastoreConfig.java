package io.ocicat.datastore.config;

import io.ocicat.datastore.error.InvalidException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import tools.jackson.databind.node.ObjectNode;

/**
 * Which datastore to use and how to reach it, as plain values: paths and addresses are only checked
 * when it is opened. Absent texts are empty.
 */
public sealed interface DatastoreConfig {

  /** SQLite on this machine. */
  record Embedded(Path directory) implements DatastoreConfig {}

  /**
   * etcd, found by addresses or by DNS, never by both.
   *
   * @param tls either files or texts, never both
   */
  record Etcd(
      List<String> endpoints, String discoverySrv, String username, Secret password, Tls tls)
      implements DatastoreConfig {
    public Etcd {
      endpoints = List.copyOf(endpoints);
      if (endpoints.isEmpty() && discoverySrv.isEmpty()) {
        throw new InvalidException(
            "no etcd endpoints specified: set etcd_endpoints (ETCD_ENDPOINTS), as in https://10.0.0.1:2379");
      }
      if (!endpoints.isEmpty() && !discoverySrv.isEmpty()) {
        throw new InvalidException(
            "both etcd endpoints and an etcd discovery SRV domain are specified: use one of them");
      }
      for (String endpoint : endpoints) {
        if (!endpoint.startsWith("http://") && !endpoint.startsWith("https://")) {
          throw new InvalidException(
              "etcd endpoint \"%s\" must start with http:// or https://".formatted(endpoint));
        }
      }
      if (username.isEmpty() != password.isEmpty()) {
        throw new InvalidException(
            "an etcd user needs a password and a password a user: set both or none of ETCD_USERNAME and ETCD_PASSWORD");
      }
    }
  }

  /**
   * A key, its certificate and the CA's certificates, as files or as PEM texts.
   *
   * @param keyFile path of the client's key
   * @param certFile path of the client's certificate
   * @param caFile path of the CA certificates
   */
  record Tls(String keyFile, String certFile, String caFile, Secret key, String cert, String ca) {
    public static final Tls NONE = new Tls("", "", "", new Secret(""), "", "");

    public Tls {
      boolean files = !keyFile.isEmpty() || !certFile.isEmpty() || !caFile.isEmpty();
      boolean texts = !key.isEmpty() || !cert.isEmpty() || !ca.isEmpty();
      if (files && texts) {
        throw new InvalidException(
            "etcd certificates are specified both as files and inline: use one of them");
      }
      if (keyFile.isEmpty() != certFile.isEmpty() || key.isEmpty() != cert.isEmpty()) {
        throw new InvalidException(
            "an etcd client certificate needs its key and a key its certificate: set both or none");
      }
    }
  }

  /**
   * The Kubernetes API. Without a kubeconfig or an endpoint it is the one in {@code
   * ~/.kube/config}, or else that of the cluster this runs in.
   *
   * @param kubeconfig a path
   * @param kubeconfigInline the content of one
   * @param context which of its contexts; empty for the current one
   * @param apiGroup {@code crd.projectcalico.org/v1} or {@code projectcalico.org/v3}; empty to
   *     discover it
   * @param qps requests per second; 0 for the client's default
   * @param burst how many requests may exceed that rate at once; 0 for the client's default
   */
  record Kubernetes(
      String kubeconfig,
      Secret kubeconfigInline,
      String context,
      String endpoint,
      Secret token,
      String keyFile,
      String certFile,
      String caFile,
      boolean insecure,
      boolean usePodCidr,
      String apiGroup,
      double qps,
      int burst)
      implements DatastoreConfig {}

  /** Whether a variable has a say in which datastore is used, or how. */
  static boolean readsVariable(String name) {
    return DatastoreVariables.contains(name);
  }

  /** Such variables that hold secrets although their names do not say so. */
  Set<String> SECRET_VARIABLES = Set.of("ETCD_KEY", "CALICO_ETCD_KEY");

  /** The same of a CNI network configuration's members. */
  Set<String> SECRET_MEMBERS = Set.of("etcd_key", "k8s_client_key_data");

  /** Reads the environment alone. */
  static DatastoreConfig ofEnvironment(Map<String, String> environment) {
    return new ConfigReader(Map.of(), environment).read();
  }

  /**
   * Reads a CNI network configuration. As in Calico it overrides variables, except those prefixed
   * with CALICO_.
   */
  static DatastoreConfig ofCniConfig(ObjectNode config, Map<String, String> environment) {
    return new ConfigReader(CniConfig.settings(config), environment).read();
  }

  /**
   * Reads calicoctl's configuration file, which replaces the environment; only defaults come from
   * there.
   */
  static DatastoreConfig ofCalicoctlFile(ObjectNode document, Map<String, String> environment) {
    return CalicoctlFile.read(document, environment);
  }
}
