package io.ocicat.plugins.httpipam;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.ipamserver.KeyStoreFile;
import io.ocicat.testkit.Command;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.node.ObjectNode;

/** A server whose certificate only the configuration trusts. */
class TlsTest {
  @TempDir private static Path directory;
  private static RunningServer server;
  private static Path certificate;

  @BeforeAll
  static void start() throws IOException {
    Path keys = directory.resolve("keys.p12");
    Path password = Files.writeString(directory.resolve("password"), "changeit\n");
    keytool(
        "-genkeypair",
        "-alias",
        "ipam",
        "-keyalg",
        "EC",
        "-dname",
        "CN=ipam",
        "-ext",
        "SAN=IP:127.0.0.1",
        "-keystore",
        keys.toString());
    certificate = directory.resolve("ca.pem");
    keytool(
        "-exportcert",
        "-rfc",
        "-alias",
        "ipam",
        "-file",
        certificate.toString(),
        "-keystore",
        keys.toString());
    server = new RunningServer(directory, new KeyStoreFile(keys, password));
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @Test
  void theNamedAuthorityIsTrusted() {
    ObjectNode config = server.config();
    ((ObjectNode) config.get("ipam")).put("caFile", certificate.toString());
    assertThat(Calling.of(config, "c1").ok("ADD").at("/ips/0/address").asString())
        .startsWith("10.9.0.");
    Calling.of(config, "c1").ok("DEL");
  }

  @Test
  void theMachinesAuthoritiesDoNotKnowIt() {
    CniException error = Calling.of(server.config(), "c1").error("ADD");
    assertThat(error.code()).isEqualTo(ErrorCode.INVALID_NETWORK_CONFIG);
    assertThat(error.msg()).startsWith("no trust in the IPAM server " + server.url());
    assertThat(error.details()).isEqualTo("name the certificate of its authority in ipam.caFile");
  }

  @Test
  void aCertificateForAnotherNameIsRefused() {
    ObjectNode config = server.config();
    ((ObjectNode) config.get("ipam"))
        .put("caFile", certificate.toString())
        .put("serverURL", server.url().replace("127.0.0.1", "localhost"));
    assertThat(Calling.of(config, "c1").error("ADD").msg()).startsWith("no trust in");
    ((ObjectNode) config.get("ipam")).put("insecureSkipVerify", true).remove("caFile");
    Calling.of(config, "c1").ok("ADD");
    Calling.of(config, "c1").ok("DEL");
  }

  @Test
  void whoeverAsksNobodyTrustsAnybody() {
    ObjectNode config = server.config();
    ((ObjectNode) config.get("ipam")).put("insecureSkipVerify", true);
    Calling.of(config, "").ok("STATUS");
  }

  @Test
  void aFileWithoutCertificatesIsNamed() throws IOException {
    ObjectNode config = server.config();
    Path empty = Files.writeString(directory.resolve("empty.pem"), "");
    for (Path file : new Path[] {empty, directory.resolve("missing.pem")}) {
      ((ObjectNode) config.get("ipam")).put("caFile", file.toString());
      CniException error = Calling.of(config, "c1").error("ADD");
      assertThat(error.code()).isEqualTo(ErrorCode.INVALID_NETWORK_CONFIG);
      assertThat(error.msg()).startsWith("the certificates in %s cannot be used".formatted(file));
    }
  }

  private static void keytool(String... arguments) {
    String[] argv = new String[arguments.length + 5];
    argv[0] = System.getProperty("java.home") + "/bin/keytool";
    System.arraycopy(arguments, 0, argv, 1, arguments.length);
    argv[arguments.length + 1] = "-storepass";
    argv[arguments.length + 2] = "changeit";
    argv[arguments.length + 3] = "-storetype";
    argv[arguments.length + 4] = "PKCS12";
    Command.of(argv).run();
  }
}
