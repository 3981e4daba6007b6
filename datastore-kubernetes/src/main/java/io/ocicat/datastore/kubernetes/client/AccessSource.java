package io.ocicat.datastore.kubernetes.client;

import io.ocicat.datastore.config.DatastoreConfig;
import io.ocicat.datastore.config.Pem;
import io.ocicat.datastore.config.Secret;
import io.ocicat.datastore.error.InvalidException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Determines how to reach the API, on each call: from a kubeconfig as text, one as a file, an
 * endpoint, {@code ~/.kube/config}, or the service account of a pod, in this order. Settings
 * override the kubeconfig.
 *
 * @param environment used when nothing is configured
 */
public record AccessSource(DatastoreConfig.Kubernetes config, Environment environment) {
  private static final int ATTEMPTS = 5;
  private static final Duration FRESH = Duration.ofSeconds(2);
  private static final Duration BETWEEN = Duration.ofMillis(200);

  /**
   * What a process finds in its environment.
   *
   * @param userConfig where the user's own kubeconfig would be
   * @param serviceAccount where Kubernetes mounts a pod's token and CA
   * @param host the API's address for pods; empty outside of one
   */
  public record Environment(Path userConfig, Path serviceAccount, String host, String port) {}

  /**
   * Reads the current state. Calico's own programs write their kubeconfig in place, so one that was
   * just written and cannot be read may be incomplete, so it is read again for a second.
   */
  public ApiAccess read() {
    for (int attempt = 1; ; attempt++) {
      try {
        return readOnce();
      } catch (InvalidException e) {
        if (attempt == ATTEMPTS || !isJustWritten()) {
          throw e;
        }
        pause();
      }
    }
  }

  private boolean isJustWritten() {
    try {
      Instant written = Files.getLastModifiedTime(Path.of(config.kubeconfig())).toInstant();
      return !config.kubeconfig().isEmpty() && written.isAfter(Instant.now().minus(FRESH));
    } catch (IOException _) {
      return false;
    }
  }

  private static void pause() {
    try {
      Thread.sleep(BETWEEN);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private ApiAccess readOnce() {
    if (!config.kubeconfigInline().isEmpty()) {
      String text = config.kubeconfigInline().value();
      return override(Kubeconfig.parse("the inline kubeconfig", Path.of("."), text), List.of());
    }
    if (!config.kubeconfig().isEmpty()) {
      return ofFile(Path.of(config.kubeconfig()));
    }
    if (!config.endpoint().isEmpty()) {
      return ofEndpoint();
    }
    if (Files.exists(environment.userConfig())) {
      return ofFile(environment.userConfig());
    }
    if (environment.host().isEmpty()) {
      throw new InvalidException(
          "no Kubernetes API is configured: set KUBECONFIG or K8S_API_ENDPOINT, or put a kubeconfig at %s"
              .formatted(environment.userConfig()));
    }
    return inCluster();
  }

  private ApiAccess ofFile(Path file) {
    List<Path> files = new ArrayList<>();
    String text = AccessFiles.read("kubeconfig", file, files);
    // Its own encoding is UTF-8; certificates are plain ASCII.
    String decoded = new String(text.getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8);
    Path directory = file.toAbsolutePath().getParent();
    return override(
        Kubeconfig.parse("kubeconfig " + file, directory == null ? file : directory, decoded),
        files);
  }

  private ApiAccess override(Kubeconfig kubeconfig, List<Path> readBefore) {
    ApiAccess fromKubeconfig = kubeconfig.access(config.context());
    List<Path> files = new ArrayList<>(readBefore);
    files.addAll(fromKubeconfig.files());
    return new ApiAccess(
        config.endpoint().isEmpty()
            ? fromKubeconfig.server()
            : ServerAddress.address("K8S_API_ENDPOINT", config.endpoint()),
        config.insecure() || fromKubeconfig.insecure(),
        or(ca(files), fromKubeconfig.ca()),
        or(certificate(files), fromKubeconfig.certificate()),
        or(key(files), fromKubeconfig.key()),
        config.token().isEmpty() ? fromKubeconfig.token() : config.token(),
        fromKubeconfig.proxy(),
        fromKubeconfig.origin(),
        files);
  }

  private static @Nullable Pem or(@Nullable Pem configured, @Nullable Pem fromKubeconfig) {
    return configured == null ? fromKubeconfig : configured;
  }

  private ApiAccess ofEndpoint() {
    List<Path> files = new ArrayList<>();
    if (config.certFile().isEmpty() != config.keyFile().isEmpty()) {
      throw new InvalidException(
          "a client certificate needs its key and a key its certificate: set both or none of K8S_CERT_FILE and K8S_KEY_FILE");
    }
    return new ApiAccess(
        ServerAddress.address("K8S_API_ENDPOINT", config.endpoint()),
        config.insecure(),
        ca(files),
        certificate(files),
        key(files),
        config.token(),
        null,
        "K8S_API_ENDPOINT",
        files);
  }

  private ApiAccess inCluster() {
    List<Path> files = new ArrayList<>();
    Path directory = environment.serviceAccount();
    Secret token = AccessFiles.token(directory.resolve("token"), files);
    Pem ca = AccessFiles.pem("authority", directory.resolve("ca.crt"), files);
    return new ApiAccess(
        ServerAddress.inCluster(environment.host(), environment.port()),
        config.insecure(),
        or(ca(files), ca),
        null,
        null,
        config.token().isEmpty() ? token : config.token(),
        null,
        "the service account in " + directory,
        files);
  }

  private @Nullable Pem ca(List<Path> files) {
    return pem("K8S_CA_FILE", config.caFile(), files);
  }

  private @Nullable Pem certificate(List<Path> files) {
    return pem("K8S_CERT_FILE", config.certFile(), files);
  }

  private @Nullable Pem key(List<Path> files) {
    return pem("K8S_KEY_FILE", config.keyFile(), files);
  }

  private static @Nullable Pem pem(String what, String file, List<Path> files) {
    return file.isEmpty() ? null : AccessFiles.pem(what, Path.of(file), files);
  }
}
