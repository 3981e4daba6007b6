package io.ocicat.cli.install;

import io.ocicat.cni.CniException;
import io.ocicat.cni.CniJson;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Base64;
import java.util.Map;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import tools.jackson.databind.JsonNode;

/**
 * The service account of the pod that this runs in, with which it requests a token for the plugin:
 * one that lives a day, whatever happens to the pod.
 *
 * @param directory where Kubernetes puts token, authority and namespace
 */
record ServiceAccount(Map<String, String> environment, Path directory) {
  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final int LIFETIME_SECONDS = 24 * 60 * 60;

  /** A token and when it expires. */
  record Token(String text, Instant expires) {
    /** Stands for the one that would be requested; it differs from every existing token. */
    static final Token NOT_REQUESTED = new Token("", Instant.EPOCH);

    /** When to get the next one: early, because this process may be down then. */
    Instant renewal(Instant now) {
      return now.plus(Duration.between(now, expires).dividedBy(4));
    }

    @Override
    public String toString() {
      return "a token until " + expires;
    }
  }

  boolean isThere() {
    return Files.isReadable(directory.resolve("token"));
  }

  /**
   * Requests a token from the API server.
   *
   * @throws InstallException with its message
   */
  Token request() {
    String account = variable("CALICO_CNI_SERVICE_ACCOUNT", "calico-cni-plugin");
    URI uri =
        URI.create(
            "%s/api/v1/namespaces/%s/serviceaccounts/%s/token"
                .formatted(server(), read("namespace"), account));
    String body =
        "{\"apiVersion\":\"authentication.k8s.io/v1\",\"kind\":\"TokenRequest\",\"spec\":{\"expirationSeconds\":%d}}"
            .formatted(LIFETIME_SECONDS);
    HttpRequest request =
        HttpRequest.newBuilder(uri)
            .timeout(LIMIT)
            .header("Authorization", "Bearer " + read("token"))
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString(body))
            .build();
    try (HttpClient http = client()) {
      HttpResponse<String> response = http.send(request, HttpResponse.BodyHandlers.ofString());
      if (response.statusCode() / 100 != 2) {
        throw new InstallException(
            "no token for service account %s: the API server at %s answers %d: does the account exist, and may this pod create its tokens?"
                .formatted(account, server(), response.statusCode()));
      }
      JsonNode status = CniJson.parse(response.body()).path("status");
      String token = status.path("token").asString("");
      if (token.isEmpty()) {
        throw new InstallException("the API server's answer has no token");
      }
      return new Token(token, Instant.parse(status.path("expirationTimestamp").asString("")));
    } catch (IOException e) {
      throw new InstallException(
          "the API server at %s cannot be asked for a token: %s".formatted(server(), e));
    } catch (CniException | DateTimeParseException e) {
      throw new InstallException("the API server's answer has no token: " + e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InstallException("interrupted while asking for a token");
    }
  }

  /** What the plugin reads: only root may, and no reader ever sees half of it. */
  byte[] kubeconfig(Token token) {
    String trust =
        isUnverified()
            ? "insecure-skip-tls-verify: true"
            : "certificate-authority-data: "
                + Base64.getEncoder()
                    .encodeToString((read("ca.crt") + "\n").getBytes(StandardCharsets.UTF_8));
    return """
        # Written by "ocicat install --calico": changes are lost at the next renewal of the token.
        apiVersion: v1
        kind: Config
        clusters:
        - name: local
          cluster:
            server: %s
            %s
        users:
        - name: calico
          user:
            token: "%s"
        contexts:
        - name: calico-context
          context:
            cluster: local
            user: calico
        current-context: calico-context
        """
        .formatted(server(), trust, token.text())
        .getBytes(StandardCharsets.UTF_8);
  }

  private String server() {
    String host = variable("KUBERNETES_SERVICE_HOST", "kubernetes.default.svc");
    return "%s://%s:%s"
        .formatted(
            variable("KUBERNETES_SERVICE_PROTOCOL", "https"),
            host.contains(":") ? "[" + host + "]" : host,
            variable("KUBERNETES_SERVICE_PORT", "443"));
  }

  private boolean isUnverified() {
    return variable("SKIP_TLS_VERIFY", "").equalsIgnoreCase("true")
        || !Files.exists(directory.resolve("ca.crt"));
  }

  private HttpClient client() {
    HttpClient.Builder builder = HttpClient.newBuilder().connectTimeout(LIMIT);
    if (!Files.exists(directory.resolve("ca.crt"))) {
      return builder.build();
    }
    try {
      KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
      trusted.load(null, null);
      int count = 0;
      for (Certificate certificate :
          CertificateFactory.getInstance("X.509")
              .generateCertificates(
                  new ByteArrayInputStream(read("ca.crt").getBytes(StandardCharsets.UTF_8)))) {
        trusted.setCertificateEntry("ca" + count++, certificate);
      }
      TrustManagerFactory factory =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      factory.init(trusted);
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(null, factory.getTrustManagers(), null);
      return builder.sslContext(context).build();
    } catch (GeneralSecurityException | IOException e) {
      throw new InstallException(
          "%s holds no certificates that can be used: %s"
              .formatted(directory.resolve("ca.crt"), e.getMessage()));
    }
  }

  private String read(String file) {
    try {
      return Files.readString(directory.resolve(file)).strip();
    } catch (IOException e) {
      throw InstallException.of("read", directory.resolve(file), e);
    }
  }

  private String variable(String name, String fallback) {
    String value = environment.getOrDefault(name, "");
    return value.isEmpty() ? fallback : value;
  }
}
