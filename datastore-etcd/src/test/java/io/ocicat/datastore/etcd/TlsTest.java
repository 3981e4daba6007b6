package io.ocicat.datastore.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.datastore.config.DatastoreConfig;
import io.ocicat.datastore.config.Secret;
import io.ocicat.datastore.error.DatastoreException;
import io.ocicat.datastore.error.InvalidException;
import io.ocicat.datastore.error.UnauthorizedException;
import io.ocicat.datastore.error.UnavailableException;
import io.ocicat.datastore.kv.KeyValue;
import io.ocicat.datastore.kv.KeyValueWatch;
import io.ocicat.datastore.kv.Transaction;
import io.ocicat.testkit.CertificateAuthority;
import io.ocicat.testkit.Command;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** TLS with certificates on both sides, and everything that can be wrong with them. */
class TlsTest {
  private static final EtcdSettings IMPATIENT =
      new EtcdSettings(Duration.ofSeconds(3), Duration.ofSeconds(3));

  @TempDir Path directory;
  private final EtcdServer etcd = new EtcdServer();
  private Certificates certificates = new Certificates(new CertificateAuthority(Path.of("")));

  @BeforeEach
  void makeCertificates() {
    certificates = Certificates.in(directory);
    certificates.issue("server");
    certificates.issue("felix");
  }

  @AfterEach
  void stop() {
    etcd.close();
  }

  private void startWith(String server) {
    etcd.withTls(certificates.serverOptions(server)).start();
  }

  private EtcdStore open(DatastoreConfig.Tls tls) {
    return EtcdStore.open(EtcdServer.config(tls, etcd.url()), IMPATIENT);
  }

  private AbstractThrowableAssert<?, ? extends Throwable> assertRefused(DatastoreConfig.Tls tls) {
    try (EtcdStore store = open(tls)) {
      return assertThatThrownBy(() -> store.get("/a"))
          .isInstanceOf(DatastoreException.class)
          .hasMessageContaining(etcd.url())
          .satisfies(e -> assertThat(String.valueOf(e.getMessage())).hasLineCount(1));
    }
  }

  @Test
  void bothSidesShowTheirCertificates() {
    startWith("server");
    try (EtcdStore store = open(certificates.client("felix"));
        KeyValueWatch watch = store.watch("/", 2)) {
      store.commit(Transaction.put("/a", "1"));

      assertThat(store.get("/a")).map(KeyValue::value).contains("1");
      assertThat(watch.next(Duration.ofSeconds(10)).events()).hasSize(1);
    }
  }

  @Test
  void theCommonNameOfTheCertificateIsTheUser() {
    startWith("server");
    etcd.post("auth/user/add", "{\"name\":\"root\",\"password\":\"secret\"}");
    etcd.post("auth/user/grant", "{\"user\":\"root\",\"role\":\"root\"}");
    etcd.post("auth/user/add", "{\"name\":\"felix\",\"password\":\"cat\"}");
    etcd.post("auth/role/add", "{\"name\":\"calico\"}");
    etcd.post(
        "auth/role/grant",
        "{\"name\":\"calico\",\"perm\":{\"permType\":\"READWRITE\",\"key\":\"L2NhbGljby8=\",\"range_end\":\"L2NhbGljbzA=\"}}");
    etcd.post("auth/user/grant", "{\"user\":\"felix\",\"role\":\"calico\"}");
    etcd.post("auth/enable", "{}");

    try (EtcdStore store = open(certificates.client("felix"))) {
      store.commit(Transaction.put("/calico/a", "1"));
      assertThat(store.get("/calico/a")).isPresent();
      assertThatThrownBy(() -> store.get("/registry/a")).isInstanceOf(UnauthorizedException.class);
    }
  }

  @Test
  void certificatesMayBeTextsAndKeysOfAnyForm() throws IOException {
    startWith("server");
    certificates.openssl(List.of("ec", "-in", "felix.key", "-out", "felix-sec1.key"));
    certificates.openssl(
        List.of(
            "req",
            "-newkey",
            "rsa:2048",
            "-nodes",
            "-keyout",
            "rsa.key",
            "-out",
            "rsa.csr",
            "-subj",
            "/CN=felix"));
    certificates.openssl(
        List.of(
            "x509",
            "-req",
            "-in",
            "rsa.csr",
            "-CA",
            "ca.crt",
            "-CAkey",
            "ca.key",
            "-CAcreateserial",
            "-out",
            "rsa.crt"));
    certificates.openssl(List.of("rsa", "-in", "rsa.key", "-traditional", "-out", "rsa-pkcs1.key"));

    for (String[] pair :
        new String[][] {{"felix-sec1", "felix"}, {"rsa", "rsa"}, {"rsa-pkcs1", "rsa"}}) {
      DatastoreConfig.Tls texts =
          new DatastoreConfig.Tls(
              "",
              "",
              "",
              new Secret(Files.readString(certificates.key(pair[0]))),
              Files.readString(certificates.certificate(pair[1])),
              Files.readString(certificates.ca()));
      try (EtcdStore store = open(texts)) {
        assertThat(store.get("/a")).as(pair[0]).isEmpty();
      }
    }
  }

  @Test
  void anExpiredCertificateOfTheServerIsNamed() {
    certificates.issueExpired("old");
    startWith("old");
    assertRefused(certificates.client("felix"))
        .isInstanceOf(UnavailableException.class)
        .hasMessageContaining("its certificate has expired: renew it");
  }

  @Test
  void anExpiredCertificateOfOursIsNamedBeforeAnythingIsSent() {
    certificates.issueExpired("old");
    startWith("server");
    assertThatThrownBy(() -> open(certificates.client("old")))
        .isInstanceOf(UnauthorizedException.class)
        .hasMessageContaining(certificates.certificate("old").toString())
        .hasMessageContaining("has expired on 2021-01-01T00:00:00Z: renew it");
  }

  @Test
  void withoutACertificateWeAreRefused() {
    startWith("server");
    assertRefused(certificates.caOnly())
        .isInstanceOf(UnauthorizedException.class)
        .hasMessageContaining("refuses our certificate")
        .hasMessageContaining("ETCD_CERT_FILE");
  }

  @Test
  void aServerOfAnotherAuthorityIsNotTrusted() throws IOException {
    startWith("server");
    Path other = Files.createDirectory(directory.resolve("other"));
    assertRefused(Certificates.in(other).caOnly())
        .isInstanceOf(UnavailableException.class)
        .hasMessageContaining("not signed by an authority we trust")
        .hasMessageContaining("ETCD_CA_CERT_FILE");
  }

  @Test
  void aCertificateOfAnotherAuthorityIsRefused() throws IOException {
    startWith("server");
    Path other = Files.createDirectory(directory.resolve("other"));
    Certificates theirs = Certificates.in(other);
    theirs.issue("felix");
    DatastoreConfig.Tls mixed =
        new DatastoreConfig.Tls(
            theirs.key("felix").toString(),
            theirs.certificate("felix").toString(),
            certificates.ca().toString(),
            new Secret(""),
            "",
            "");
    assertRefused(mixed)
        .isInstanceOf(UnauthorizedException.class)
        .hasMessageContaining("refuses our certificate");
  }

  @Test
  void theWrongSchemeIsReported() {
    startWith("server");
    try (EtcdStore store =
        EtcdStore.open(
            EtcdServer.config(etcd.url().replace("https", "http")),
            IMPATIENT.timeout(Duration.ofMillis(500)))) {
      assertThatThrownBy(() -> store.get("/a"))
          .isInstanceOf(UnavailableException.class)
          .hasMessageContaining("https://?");
    }
    try (EtcdServer plain = new EtcdServer()) {
      plain.start();
      String wrong = plain.url().replace("http", "https");
      try (EtcdStore store =
          EtcdStore.open(
              EtcdServer.config(certificates.client("felix"), wrong),
              IMPATIENT.timeout(Duration.ofMillis(500)))) {
        assertThatThrownBy(() -> store.get("/a"))
            .isInstanceOf(UnavailableException.class)
            .hasMessageContaining("http://?");
      }
    }
  }

  @Test
  void renewedCertificatesNeedNoRestart() throws IOException {
    startWith("server");
    Path other = Files.createDirectory(directory.resolve("other"));
    Certificates wrong = Certificates.in(other);
    wrong.issue("felix");
    for (String file : new String[] {"felix.key", "felix.crt"}) {
      Files.copy(directory.resolve(file), directory.resolve("good-" + file));
      Files.copy(other.resolve(file), directory.resolve(file), StandardCopyOption.REPLACE_EXISTING);
    }
    try (EtcdStore store = open(certificates.client("felix"))) {
      assertThatThrownBy(() -> store.get("/a")).isInstanceOf(UnauthorizedException.class);
      for (String file : new String[] {"felix.key", "felix.crt"}) {
        Files.copy(
            directory.resolve("good-" + file),
            directory.resolve(file),
            StandardCopyOption.REPLACE_EXISTING);
      }
      assertThat(store.get("/a")).isEmpty();
    }
  }

  @Test
  void filesThatCannotBeUsedAreNamed() throws IOException {
    startWith("server");
    DatastoreConfig.Tls missing =
        new Certificates(new CertificateAuthority(directory.resolve("none"))).caOnly();
    assertThatThrownBy(() -> open(missing))
        .isInstanceOf(InvalidException.class)
        .hasMessageContaining("none/ca.crt does not exist");
    // Review R14: reading a pipe would wait for its writer.
    Path pipes = Files.createDirectory(directory.resolve("pipes"));
    Command.of("mkfifo", pipes.resolve("ca.crt").toString()).run();
    DatastoreConfig.Tls piped = new Certificates(new CertificateAuthority(pipes)).caOnly();
    assertThatThrownBy(() -> open(piped))
        .isInstanceOf(InvalidException.class)
        .hasMessageContaining("pipes/ca.crt cannot be read: not a regular file");

    Path empty = Files.writeString(directory.resolve("empty.crt"), "no PEM at all");
    assertThatThrownBy(
            () -> open(new DatastoreConfig.Tls("", "", empty.toString(), new Secret(""), "", "")))
        .isInstanceOf(InvalidException.class)
        .hasMessageContaining("empty.crt has no certificate");
    assertThatThrownBy(
            () ->
                open(
                    new DatastoreConfig.Tls(
                        empty.toString(),
                        certificates.certificate("felix").toString(),
                        "",
                        new Secret(""),
                        "",
                        "")))
        .isInstanceOf(InvalidException.class)
        .hasMessageContaining("empty.crt has no private key");
  }
}
