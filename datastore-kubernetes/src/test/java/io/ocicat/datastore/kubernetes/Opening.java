package io.ocicat.datastore.kubernetes;

import io.ocicat.datastore.config.DatastoreConfig;
import io.ocicat.datastore.config.Secret;
import io.ocicat.datastore.kubernetes.client.AccessSource;
import java.nio.file.Path;
import java.time.Duration;

/** Opens datastores on an API server for tests. */
final class Opening {
  /** An environment in which no API is found. */
  static final AccessSource.Environment NOWHERE =
      new AccessSource.Environment(Path.of("/nonexistent"), Path.of("/nonexistent"), "", "");

  private static final double FAST = 10_000;

  private Opening() {}

  static KubernetesDatastore open(ApiServer server) {
    return open(config(server.url(), ""));
  }

  static KubernetesDatastore open(DatastoreConfig.Kubernetes config) {
    return KubernetesDatastore.open(config, NOWHERE);
  }

  static KubernetesDatastore open(DatastoreConfig.Kubernetes config, Duration timeout) {
    return KubernetesDatastore.open(config, NOWHERE, timeout);
  }

  static DatastoreConfig.Kubernetes config(String url, String token) {
    return new DatastoreConfig.Kubernetes(
        "", new Secret(""), "", url, new Secret(token), "", "", "", false, false, "", FAST, 0);
  }

  static DatastoreConfig.Kubernetes kubeconfig(Path file) {
    return new DatastoreConfig.Kubernetes(
        file.toString(),
        new Secret(""),
        "",
        "",
        new Secret(""),
        "",
        "",
        "",
        false,
        false,
        "",
        FAST,
        0);
  }
}
