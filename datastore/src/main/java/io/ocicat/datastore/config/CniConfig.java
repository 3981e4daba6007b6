package io.ocicat.datastore.config;

import java.util.HashMap;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Maps members of a CNI network configuration to settings. */
final class CniConfig {
  private static final Map<String, String> MEMBERS =
      Map.ofEntries(
          Map.entry("/datastore_type", "DATASTORE_TYPE"),
          Map.entry("/etcd_endpoints", "ETCD_ENDPOINTS"),
          Map.entry("/etcd_discovery_srv", "ETCD_DISCOVERY_SRV"),
          Map.entry("/etcd_key_file", "ETCD_KEY_FILE"),
          Map.entry("/etcd_cert_file", "ETCD_CERT_FILE"),
          Map.entry("/etcd_ca_cert_file", "ETCD_CA_CERT_FILE"),
          Map.entry("/kubernetes/kubeconfig", "KUBECONFIG"),
          Map.entry("/kubernetes/k8s_api_root", "K8S_API_ENDPOINT"),
          Map.entry("/policy/k8s_auth_token", "K8S_API_TOKEN"),
          Map.entry("/calico_api_group", "CALICO_API_GROUP"),
          Map.entry("/qps", "K8S_CLIENT_QPS"),
          Map.entry("/burst", "K8S_CLIENT_BURST"));

  private CniConfig() {}

  /** Wrong types are rejected by the reader of the whole configuration. */
  static Map<String, String> settings(ObjectNode config) {
    Map<String, String> settings = new HashMap<>();
    MEMBERS.forEach(
        (pointer, name) -> {
          JsonNode value = config.at(pointer);
          // 0 means the default, as an absent member does.
          if (value.isString() || (value.isNumber() && value.doubleValue() != 0)) {
            settings.put(name, value.asString(""));
          }
        });
    return settings;
  }
}
