package io.ocicat.image.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.image.ImageReference;
import io.ocicat.image.PullEvent;
import io.ocicat.image.RegistryCredentials;
import io.ocicat.image.testing.TestImage;
import io.ocicat.image.testing.TestRegistry;
import java.io.IOException;
import java.net.Proxy;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class EnvironmentProxiesTest {
  @TempDir private Path folder;

  private static Proxy proxy(String url, Map<String, String> environment) {
    return new EnvironmentProxies(environment).select(URI.create(url)).getFirst();
  }

  @Test
  void bySchemeAndLowerCaseFirst() {
    Map<String, String> environment =
        Map.of("HTTPS_PROXY", "http://upper:1", "https_proxy", "lower:2", "HTTP_PROXY", "plain");
    assertThat(proxy("https://a.example/v2", environment).address())
        .hasToString("lower/<unresolved>:2");
    assertThat(proxy("http://a.example/v2", environment).address())
        .hasToString("plain/<unresolved>:80");
    assertThat(proxy("http://127.0.0.1:5000/v2", environment)).isEqualTo(Proxy.NO_PROXY);
    assertThat(proxy("https://a.example/v2", Map.of())).isEqualTo(Proxy.NO_PROXY);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "*                 | true",
        "a.example         | true",
        "example           | true",
        ".example          | true",
        "*.example         | true",
        "x, a.example:443  | true",
        "ample             | false",
        "b.example         | false",
        "a.example:80      | false",
        "10.0.0.0/8        | false"
      })
  void exclusions(String noProxy, boolean excluded) {
    Map<String, String> environment = Map.of("HTTPS_PROXY", "p:1", "NO_PROXY", noProxy);
    assertThat(proxy("https://a.example:443/v2", environment).equals(Proxy.NO_PROXY))
        .isEqualTo(excluded);
  }

  @Test
  void addressesByPrefix() {
    Map<String, String> environment =
        Map.of("HTTPS_PROXY", "p:1", "NO_PROXY", "10.0.0.0/8,fd00::/8");
    assertThat(proxy("https://10.1.2.3:5000/v2", environment)).isEqualTo(Proxy.NO_PROXY);
    assertThat(proxy("https://[fd00::1]:5000/v2", environment)).isEqualTo(Proxy.NO_PROXY);
    assertThat(proxy("https://11.1.2.3:5000/v2", environment)).isNotEqualTo(Proxy.NO_PROXY);
  }

  @ParameterizedTest
  @ValueSource(strings = {"socks5://x:1", "http://joe:secret@x", "http://", "a b"})
  void proxiesThatAreNot(String text) {
    assertThatThrownBy(() -> proxy("https://a.example/v2", Map.of("HTTPS_PROXY", text)))
        .hasMessageContaining("must be http://HOST")
        .hasMessageNotContaining("secret");
  }

  /** A proxy is asked for the whole address, so the registry of the tests serves as one. */
  @Test
  void pullsThroughAProxy() throws IOException {
    Files.createDirectories(folder.resolve("registry.invalid"));
    Files.writeString(
        folder.resolve("registry.invalid/hosts.toml"), "server = \"http://registry.invalid\"");
    TestImage image = TestImage.small("hello");
    try (TestRegistry proxy = new TestRegistry();
        RegistryClient client =
            new RegistryClient(
                ImageReference.parse("registry.invalid/test:1"),
                RegistryCredentials.NONE,
                RegistrySettings.USUAL
                    .hosts(folder)
                    .environment(Map.of("HTTP_PROXY", "http://" + proxy.address())),
                PullEvent.Listener.NOBODY)) {
      proxy.push("test:1", image);
      assertThat(client.resolve().digest()).isEqualTo(image.digest());
      assertThat(proxy.requests()).first().asString().contains("registry.invalid");
    }
  }
}
