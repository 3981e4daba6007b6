package io.ocicat.plugins.calicocluster;

import io.ocicat.base.json.JsonFields;
import java.util.List;
import java.util.Set;
import tools.jackson.databind.node.ObjectNode;

/**
 * Checks the members of a configuration that locate the datastore and the pods. {@link
 * io.ocicat.datastore.config.DatastoreConfig} reads what they mean; here only their types are
 * checked, so that every mistake is reported at once.
 */
public final class DatastoreMembers {
  private static final List<String> TEXTS =
      List.of(
          "datastore_type",
          "etcd_endpoints",
          "etcd_discovery_srv",
          "etcd_key_file",
          "etcd_cert_file",
          "etcd_ca_cert_file",
          "etcd_authority",
          "etcd_scheme",
          "calico_api_group");
  private static final List<String> POLICY_TEXTS =
      List.of(
          "k8s_api_root",
          "k8s_auth_token",
          "k8s_client_certificate",
          "k8s_client_key",
          "k8s_certificate_authority");

  private static final Set<String> SERVERS = Set.of("etcdv3", "kubernetes");
  private static final List<String> OTHERS = List.of("qps", "burst", "kubernetes", "policy");

  private DatastoreMembers() {}

  /** Whether they name a server, which is Calico's default, rather than a file of this machine. */
  public static boolean nameServer(ObjectNode config) {
    return SERVERS.contains(config.path("datastore_type").asString(""))
        || config.has("etcd_endpoints");
  }

  /** Makes a configuration use the datastore that another one names. */
  public static void replace(ObjectNode in, ObjectNode present) {
    for (List<String> names : List.of(TEXTS, OTHERS)) {
      for (String name : names) {
        if (present.has(name)) {
          in.set(name, present.get(name).deepCopy());
        } else {
          in.remove(name);
        }
      }
    }
  }

  public static void check(JsonFields in) {
    TEXTS.forEach(name -> in.text(name).or(""));
    in.integer("qps", 0, Integer.MAX_VALUE).or(0);
    in.integer("burst", 0, Integer.MAX_VALUE).or(0);
    JsonFields kubernetes = in.object("kubernetes");
    kubernetes.text("kubeconfig").or("");
    kubernetes.text("k8s_api_root").or("");
    JsonFields policy = in.object("policy");
    POLICY_TEXTS.forEach(name -> policy.text(name).or(""));
  }
}
