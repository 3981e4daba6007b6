package io.ocicat.datastore.config;

import java.util.List;
import java.util.Set;

/** The names of variables that {@link ConfigReader} and the engines read. */
final class DatastoreVariables {
  private static final Set<String> NAMES =
      Set.of(
          "DATASTORE_TYPE",
          "KUBECONFIG",
          "KUBERNETES_SERVICE_HOST",
          "KUBERNETES_SERVICE_PORT",
          "USE_POD_CIDR");

  private static final List<String> PREFIXES = List.of("CALICO_", "ETCD_", "K8S_");

  private DatastoreVariables() {}

  static boolean contains(String name) {
    for (String prefix : PREFIXES) {
      if (name.startsWith(prefix)) {
        return true;
      }
    }
    return NAMES.contains(name);
  }
}
