package io.ocicat.cli.install;

import io.ocicat.base.json.Json;
import io.ocicat.cni.CniException;
import io.ocicat.cni.ConfigList;
import io.ocicat.cni.ErrorCode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * Calico's network configuration, as its own installer writes it: a template whose placeholders
 * stand for environment variables. What is not set is detected: without etcd or Kubernetes the
 * datastore is the embedded one on this machine.
 *
 * @param confDirectory where networks are, as runtimes see it
 * @param node the node's name
 */
record CalicoNetwork(Map<String, String> environment, Path confDirectory, String node) {
  private static final String DEFAULT_NAME = "10-calico.conflist";
  private static final String KUBECONFIG = "calico-kubeconfig";
  private static final String TLS = "calico-tls";

  /**
   * With name and version in the plugin, too, which runtimes write there anyway: so the first
   * plugin of the list can be tried by hand as {@code jq '.plugins[0]'} prints it.
   */
  private static final String TEMPLATE =
      """
      {
        "name": "k8s-pod-network",
        "cniVersion": "1.0.0",
        "plugins": [
          {
            "type": "calico",
            "name": "k8s-pod-network",
            "cniVersion": "1.0.0",
            "log_level": "__LOG_LEVEL__",
            "log_file_path": "__LOG_FILE_PATH__",
            "log_file_max_size": __LOG_FILE_MAX_SIZE__,
            "log_file_max_age": __LOG_FILE_MAX_AGE__,
            "log_file_max_count": __LOG_FILE_MAX_COUNT__,
            "datastore_type": "__DATASTORE_TYPE__",
      __DATASTORE__      "nodename": "__KUBERNETES_NODE_NAME__",
            "mtu": __CNI_MTU__,
            "require_mtu_file": __REQUIRE_MTU_FILE__,
            "ipam": { "type": "calico-ipam" },
            "policy": { "type": "k8s" }
          },
          {
            "type": "portmap",
            "snat": true,
            "capabilities": { "portMappings": true }
          }
        ]
      }
      """;

  private static final String KUBERNETES =
      """
            "calico_api_group": "__CALICO_API_GROUP__",
            "kubernetes": { "kubeconfig": "__KUBECONFIG_FILEPATH__" },
      """;

  private static final String ETCD =
      """
            "etcd_endpoints": "__ETCD_ENDPOINTS__",
            "etcd_discovery_srv": "__ETCD_DISCOVERY_SRV__",
            "etcd_key_file": "__ETCD_KEY_FILE__",
            "etcd_cert_file": "__ETCD_CERT_FILE__",
            "etcd_ca_cert_file": "__ETCD_CA_CERT_FILE__",
      """;

  /** Its datastore type. */
  String datastore() {
    String named = variable("DATASTORE_TYPE", "").toLowerCase(Locale.ROOT);
    if (!named.isEmpty()) {
      return named;
    }
    if (!variable("ETCD_ENDPOINTS", "").isEmpty()
        || !variable("ETCD_DISCOVERY_SRV", "").isEmpty()) {
      return "etcdv3";
    }
    boolean kubernetes =
        !variable("KUBECONFIG", "").isEmpty() || !variable("KUBERNETES_SERVICE_HOST", "").isEmpty();
    return kubernetes ? "kubernetes" : "embedded";
  }

  /**
   * The file for the configuration directory.
   *
   * @throws InstallException when a template is not a valid network
   */
  InstallItem item() {
    String name = variable("CNI_CONF_NAME", DEFAULT_NAME);
    if (name.contains("/") || !name.endsWith(".conflist")) {
      throw new InstallException(
          "CNI_CONF_NAME must be the name of a file that ends with .conflist, not \"%s\""
              .formatted(name));
    }
    byte[] bytes = filled(template()).getBytes(StandardCharsets.UTF_8);
    try {
      ConfigList.parse(bytes);
    } catch (CniException e) {
      // Not the text itself, nor what a parser quotes of it: templates may hold tokens.
      throw new InstallException(
          "the template of Calico's network is not a valid network once it is filled in: %s"
              .formatted(e.is(ErrorCode.DECODING_FAILURE) ? "it is not valid JSON" : e.msg()));
    }
    return InstallItem.text(bytes, "rw-------", confDirectory.resolve(name)).keepingEdits();
  }

  Path kubeconfig() {
    return confDirectory.resolve(KUBECONFIG);
  }

  /** Whether nothing works until the plugin's own kubeconfig has been written. */
  boolean needsKubeconfig() {
    return datastore().equals("kubernetes")
        && variable("KUBECONFIG", "").isEmpty()
        && variable("CNI_NETWORK_CONFIG", "").isEmpty()
        && variable("CNI_NETWORK_CONFIG_FILE", "").isEmpty()
        && !Files.exists(kubeconfig());
  }

  private String template() {
    String file = variable("CNI_NETWORK_CONFIG_FILE", "");
    if (!file.isEmpty()) {
      try {
        return Files.readString(Path.of(file));
      } catch (IOException e) {
        throw InstallException.of("read", Path.of(file), e);
      }
    }
    String extra =
        switch (datastore()) {
          case "kubernetes" -> KUBERNETES;
          case "etcdv3" -> ETCD;
          default -> "";
        };
    return variable("CNI_NETWORK_CONFIG", TEMPLATE.replace("__DATASTORE__", extra));
  }

  private String filled(String template) {
    String filled = template;
    for (Map.Entry<String, String> placeholder : placeholders().entrySet()) {
      filled = filled.replace("__%s__".formatted(placeholder.getKey()), placeholder.getValue());
    }
    return filled;
  }

  private Map<String, String> placeholders() {
    Map<String, String> values = new LinkedHashMap<>();
    put(values, "LOG_LEVEL", "info");
    put(values, "LOG_FILE_PATH", "/var/log/calico/cni/cni.log");
    put(values, "LOG_FILE_MAX_SIZE", "100");
    put(values, "LOG_FILE_MAX_AGE", "30");
    put(values, "LOG_FILE_MAX_COUNT", "10");
    values.put("DATASTORE_TYPE", quoted(datastore()));
    values.put("KUBERNETES_NODE_NAME", quoted(variable("KUBERNETES_NODE_NAME", node)));
    Path seen = Path.of(variable("CNI_NET_DIR", confDirectory.toString()));
    values.put("KUBECONFIG_FILEPATH", quoted(pluginsKubeconfig(seen)));
    // 0 selects the MTU file, which calico/node or this command writes.
    put(values, "CNI_MTU", "0");
    put(values, "KUBERNETES_SERVICE_HOST", "");
    put(values, "KUBERNETES_SERVICE_PORT", "");
    put(values, "SERVICEACCOUNT_TOKEN", "");
    put(values, "CALICO_API_GROUP", "crd.projectcalico.org/v1");
    put(values, "ETCD_ENDPOINTS", "");
    put(values, "ETCD_DISCOVERY_SRV", "");
    values.put("ETCD_CA_CERT_FILE", tls(seen, "ETCD_CA_CERT_FILE", "etcd-ca"));
    values.put("ETCD_CERT_FILE", tls(seen, "ETCD_CERT_FILE", "etcd-cert"));
    values.put("ETCD_KEY_FILE", tls(seen, "ETCD_KEY_FILE", "etcd-key"));
    put(values, "REQUIRE_MTU_FILE", "false");
    return values;
  }

  /** Ours in a pod, where its service account gets the plugin a token; elsewhere the given one. */
  private String pluginsKubeconfig(Path seen) {
    String given = variable("KUBECONFIG", "");
    boolean ours = given.isEmpty() || !variable("KUBERNETES_SERVICE_HOST", "").isEmpty();
    if (ours || !datastore().equals("kubernetes")) {
      return seen.resolve(KUBECONFIG).toString();
    }
    Path file = Path.of(given).toAbsolutePath().normalize();
    if (!Files.isReadable(file)) {
      throw new InstallException(
          "KUBECONFIG is %s, which %s: the plugin would have no way to the API server"
              .formatted(file, Files.exists(file) ? "cannot be read" : "does not exist"));
    }
    return file.toString();
  }

  private void put(Map<String, String> values, String name, String fallback) {
    values.put(name, quoted(variable(name, fallback)));
  }

  private String tls(Path seen, String variable, String file) {
    boolean installed = Files.exists(confDirectory.resolve(TLS).resolve(file));
    return quoted(variable(variable, installed ? seen.resolve(TLS).resolve(file).toString() : ""));
  }

  private String variable(String name, String fallback) {
    String value = environment.getOrDefault(name, "");
    return value.isEmpty() ? fallback : value;
  }

  /** Escaped for use between quotes in JSON. */
  private static String quoted(String value) {
    String json = Json.compact(Json.object().stringNode(value));
    return json.substring(1, json.length() - 1);
  }
}
