package io.ocicat.datastore.kubernetes;

import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.DatastoreEngine;
import io.ocicat.datastore.config.DatastoreConfig;
import io.ocicat.datastore.kubernetes.client.AccessSource;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/** The datastore engine for the Kubernetes API 1.20 or newer. */
public final class KubernetesEngine implements DatastoreEngine {
  private static final Path SERVICE_ACCOUNT =
      Path.of("/var/run/secrets/kubernetes.io/serviceaccount");

  @Override
  public Optional<Datastore> open(DatastoreConfig config) {
    return config instanceof DatastoreConfig.Kubernetes kubernetes
        ? Optional.of(KubernetesDatastore.open(kubernetes, environment(System.getenv())))
        : Optional.empty();
  }

  private static AccessSource.Environment environment(Map<String, String> variables) {
    return new AccessSource.Environment(
        Path.of(variables.getOrDefault("HOME", "/"), ".kube", "config"),
        SERVICE_ACCOUNT,
        variables.getOrDefault("KUBERNETES_SERVICE_HOST", ""),
        variables.getOrDefault("KUBERNETES_SERVICE_PORT", ""));
  }
}
