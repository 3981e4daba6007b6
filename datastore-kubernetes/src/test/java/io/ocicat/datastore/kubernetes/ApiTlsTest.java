package io.ocicat.datastore.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.datastore.config.DatastoreConfig;
import io.ocicat.datastore.config.Pem;
import io.ocicat.datastore.config.Secret;
import io.ocicat.datastore.error.DatastoreException;
import io.ocicat.datastore.error.UnauthorizedException;
import io.ocicat.datastore.error.UnavailableException;
import io.ocicat.datastore.kubernetes.client.ApiAccess;
import io.ocicat.datastore.kubernetes.client.ApiTls;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.ResourceQuery;
import io.ocicat.testkit.CertificateAuthority;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** TLS with certificates on both sides, and what can be wrong with them. */
class ApiTlsTest {
  private static final Duration SHORT = Duration.ofSeconds(3);

  @TempDir private Path directory;
  private CertificateAuthority authority = new CertificateAuthority(Path.of(""));

  @BeforeEach
  void makeCertificates() {
    authority = CertificateAuthority.in(directory);
    authority.issue("server");
    authority.issue("client");
  }

  private static Pem pem(Path file) {
    try {
      return new Pem(file.toString(), Files.readString(file));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private ApiServer serverAs(String name) {
    SSLContext context =
        ApiTls.context(
            new ApiAccess(
                URI.create("https://127.0.0.1"),
                false,
                pem(authority.ca()),
                pem(authority.certificate(name)),
                pem(authority.key(name)),
                new Secret(""),
                null,
                "test",
                List.of()));
    return new ApiServer(context);
  }

  private DatastoreConfig.Kubernetes config(
      String url, String client, String caFile, boolean insecure) {
    return new DatastoreConfig.Kubernetes(
        "",
        new Secret(""),
        "",
        url,
        new Secret(""),
        client.isEmpty() ? "" : authority.key(client).toString(),
        client.isEmpty() ? "" : authority.certificate(client).toString(),
        caFile,
        insecure,
        false,
        "",
        0,
        0);
  }

  private static void ask(DatastoreConfig.Kubernetes config) {
    try (KubernetesDatastore datastore = Opening.open(config, SHORT)) {
      datastore.list(ResourceQuery.of(Kind.NODE));
    }
  }

  private static DatastoreException failure(DatastoreConfig.Kubernetes config) {
    try {
      ask(config);
    } catch (DatastoreException e) {
      return e;
    }
    throw new AssertionError("it should have failed");
  }

  @Test
  void bothSidesShowTheirCertificates() {
    try (ApiServer server = serverAs("server")) {
      ask(config(server.url(), "client", authority.ca().toString(), false));
      ask(config(server.url(), "", authority.ca().toString(), false));
    }
  }

  @Test
  void anUnknownAuthorityIsNotTrusted() {
    try (ApiServer server = serverAs("server")) {
      assertThat(failure(config(server.url(), "", "", false)))
          .isInstanceOf(UnavailableException.class)
          .hasMessageContaining("not signed by an authority");
    }
  }

  @Test
  void insecureTrustsEverybody() {
    try (ApiServer server = serverAs("server")) {
      ask(config(server.url().replace("127.0.0.1", "localhost"), "", "", true));
    }
  }

  @Test
  void aNameThatTheCertificateDoesNotListIsRefused() {
    try (ApiServer server = serverAs("server")) {
      String url = server.url().replace("127.0.0.1", "localhost");
      assertThat(failure(config(url, "", authority.ca().toString(), false)))
          .isInstanceOf(UnavailableException.class)
          .hasMessageContaining("not for this name");
    }
  }

  @Test
  void aServersCertificateThatHasExpiredIsNamed() {
    authority.issueExpired("old");
    ApiAccess access =
        new ApiAccess(
            URI.create("https://127.0.0.1"),
            false,
            pem(authority.ca()),
            pem(authority.certificate("old")),
            pem(authority.key("old")),
            new Secret(""),
            null,
            "test",
            List.of());
    try (ApiServer server = new ApiServer(ApiTls.unchecked(access))) {
      assertThat(failure(config(server.url(), "", authority.ca().toString(), false)))
          .isInstanceOf(UnavailableException.class)
          .hasMessageContaining("its certificate has expired");
    }
  }

  @Test
  void ourOwnCertificateThatHasExpiredIsNamed() {
    authority.issueExpired("client");
    try (ApiServer server = serverAs("server")) {
      assertThat(failure(config(server.url(), "client", authority.ca().toString(), false)))
          .isInstanceOf(UnauthorizedException.class)
          .hasMessageContaining("client.crt has expired on 2021-01-01T00:00:00Z: renew it");
    }
  }

  @Test
  void aCertificateOfAnotherAuthorityIsRefused(@TempDir Path other) {
    CertificateAuthority theirs = CertificateAuthority.in(other);
    theirs.issue("client");
    try (ApiServer server = serverAs("server")) {
      DatastoreConfig.Kubernetes config =
          new DatastoreConfig.Kubernetes(
              "",
              new Secret(""),
              "",
              server.url(),
              new Secret(""),
              theirs.key("client").toString(),
              theirs.certificate("client").toString(),
              authority.ca().toString(),
              false,
              false,
              "",
              0,
              0);
      assertThat(failure(config))
          .isInstanceOf(UnauthorizedException.class)
          .hasMessageContaining("refuses our certificate");
    }
  }

  @Test
  void httpsToAServerWithoutTlsIsReported() throws Exception {
    try (ServerSocket plain = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      Thread answering =
          Thread.ofVirtual()
              .start(
                  () -> {
                    try (Socket caller = plain.accept()) {
                      caller
                          .getOutputStream()
                          .write(
                              "HTTP/1.1 400 Bad Request\r\n\r\n"
                                  .getBytes(StandardCharsets.US_ASCII));
                    } catch (IOException e) {
                      throw new UncheckedIOException(e);
                    }
                  });
      assertThat(failure(config("https://127.0.0.1:" + plain.getLocalPort(), "", "", true)))
          .isInstanceOf(UnavailableException.class)
          .hasMessageContaining("does not speak TLS");
      answering.join();
    }
  }

  /** Review C15: as when the API server is starting, behind a load balancer. */
  @Test
  void aConnectionThatEndsInTheHandshakeIsTriedAgain() throws Exception {
    try (ApiServer server = serverAs("server");
        ServerSocket front = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
      URI behind = URI.create(server.url());
      AtomicInteger connections = new AtomicInteger();
      Thread.ofVirtual()
          .start(
              () -> {
                try {
                  while (true) {
                    Socket caller = front.accept();
                    if (connections.incrementAndGet() <= 2) {
                      caller.getInputStream().read();
                      caller.close();
                    } else {
                      Socket onward = new Socket(behind.getHost(), behind.getPort());
                      copy(caller, onward);
                      copy(onward, caller);
                    }
                  }
                } catch (IOException _) {
                  return;
                }
              });
      ask(
          config(
              "https://127.0.0.1:" + front.getLocalPort(), "", authority.ca().toString(), false));
      assertThat(connections.get()).isGreaterThanOrEqualTo(3);
    }
  }

  private static void copy(Socket from, Socket to) {
    Thread.ofVirtual()
        .start(
            () -> {
              try (from;
                  to) {
                from.getInputStream().transferTo(to.getOutputStream());
              } catch (IOException _) {
                return;
              }
            });
  }

  @Test
  void renewedCertificatesAreUsedWithoutARestart() throws IOException {
    try (ApiServer server = serverAs("server");
        KubernetesDatastore datastore =
            Opening.open(config(server.url(), "client", authority.ca().toString(), false), SHORT)) {
      datastore.list(ResourceQuery.of(Kind.NODE));
      authority.issueExpired("client");

      assertThatThrownBy(() -> datastore.list(ResourceQuery.of(Kind.NODE)))
          .isInstanceOf(UnauthorizedException.class);
      authority.issue("client");

      assertThat(datastore.list(ResourceQuery.of(Kind.NODE)).items()).isEmpty();
    }
  }
}
