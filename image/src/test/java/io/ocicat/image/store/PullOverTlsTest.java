package io.ocicat.image.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.image.Image;
import io.ocicat.image.ImageReference;
import io.ocicat.image.PullEvent;
import io.ocicat.image.RegistryCredentials;
import io.ocicat.image.registry.RegistrySettings;
import io.ocicat.image.testing.TestImage;
import io.ocicat.image.testing.TestRegistry;
import io.ocicat.testkit.CertificateAuthority;
import io.ocicat.testkit.Command;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.time.Duration;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Registries whose certificates come from an authority that only hosts.toml knows. */
class PullOverTlsTest {
  private static final char[] PASSWORD = "changeit".toCharArray();

  @TempDir private Path folder;
  private CertificateAuthority authority;
  private TestRegistry registry;

  @BeforeEach
  void start() throws IOException, GeneralSecurityException {
    authority = CertificateAuthority.in(Files.createDirectory(folder.resolve("ca")));
    authority.issue("registry");
    registry = new TestRegistry(context("registry"));
  }

  @AfterEach
  void stop() {
    registry.close();
  }

  private SSLContext context(String name) throws IOException, GeneralSecurityException {
    Path store = folder.resolve(name + ".p12");
    Command.of(
            "openssl",
            "pkcs12",
            "-export",
            "-in",
            authority.certificate(name).toString(),
            "-inkey",
            authority.key(name).toString(),
            "-out",
            store.toString(),
            "-passout",
            "pass:" + new String(PASSWORD))
        .run();
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(store)) {
      keys.load(in, PASSWORD);
    }
    KeyManagerFactory managers =
        KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    managers.init(keys, PASSWORD);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(managers.getKeyManagers(), null, null);
    return context;
  }

  private Image pull(String settings) throws IOException {
    String name = registry.push("test:1", TestImage.small("hello"));
    Path hosts = folder.resolve("hosts").resolve(registry.address());
    Files.createDirectories(hosts);
    Files.writeString(
        hosts.resolve("hosts.toml"),
        "server = \"https://%s\"\n%s\n".formatted(registry.address(), settings));
    return LocalImageStore.open(
            StoreSettings.usual(folder.resolve("store"))
                .registry(
                    RegistrySettings.USUAL
                        .hosts(folder.resolve("hosts"))
                        .delays(Duration.ofMillis(1), Duration.ofMillis(1))))
        .pull(ImageReference.parse(name), RegistryCredentials.NONE, PullEvent.Listener.NOBODY);
  }

  @Test
  void unknownAuthorityIsNotTrusted() {
    assertThatThrownBy(() -> pull("")).hasMessageContaining("unable to find valid certification");
  }

  @Test
  void authorityOfTheFile() throws IOException {
    assertThat(pull("ca = \"%s\"".formatted(authority.ca()))).isNotNull();
  }

  @Test
  void anyCertificateIfTheFileSaysSo() throws IOException {
    assertThat(pull("skip_verify = true")).isNotNull();
  }

  @Test
  void missingAuthorityFile() {
    assertThatThrownBy(() -> pull("ca = [\"none.pem\"]")).hasMessageContaining("none.pem");
  }
}
