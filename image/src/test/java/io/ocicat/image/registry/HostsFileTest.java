package io.ocicat.image.registry;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Where a registry's images come from. */
class HostsFileTest {
  @TempDir private Path folder;

  private List<RegistryHost> hosts(String registry) {
    return HostsFile.hosts(registry, folder);
  }

  private void write(String registry, String text) throws IOException {
    Files.createDirectories(folder.resolve(registry));
    Files.writeString(folder.resolve(registry).resolve("hosts.toml"), text);
  }

  /** Only loopback is spoken to without encryption. */
  @ParameterizedTest
  @CsvSource({
    "docker.io, https://registry-1.docker.io/v2",
    "registry.k8s.io, https://registry.k8s.io/v2",
    "10.0.0.1:5000, https://10.0.0.1:5000/v2",
    "localhost.example.com, https://localhost.example.com/v2",
    "127.0.0.1.example.com, https://127.0.0.1.example.com/v2",
    "localhost:5000, http://localhost:5000/v2",
    "127.8.9.1, http://127.8.9.1/v2",
    "[::1]:5000, http://[::1]:5000/v2"
  })
  void withoutAFile(String registry, String address) {
    assertThat(hosts(registry))
        .hasSize(1)
        .extracting(RegistryHost::base)
        .hasToString("[" + address + "]");
  }

  @Test
  void everythingAFileMaySay() throws IOException {
    write(
        "docker.io",
        """
        # a comment
        server = 'https://other.example/prefix'
        ca = "own.pem"

        [host."https://mirror.example"]
        capabilities = [
          "pull", # not "resolve"
        ]
        skip_verify = true
        ca = ["a.pem", "/etc/b.pem"]
        [host."https://mirror.example".header]
        x-one = "1"
        x-two = ["2", "3"]

        [host."http://10.0.0.5:5000/deep/path"]
        override_path = true
        """);
    Path here = folder.resolve("docker.io");
    assertThat(hosts("docker.io"))
        .containsExactly(
            new RegistryHost(
                URI.create("https://mirror.example/v2"),
                false,
                Map.of("x-one", List.of("1"), "x-two", List.of("2", "3")),
                List.of(here.resolve("a.pem"), Path.of("/etc/b.pem")),
                true,
                true),
            new RegistryHost(
                URI.create("http://10.0.0.5:5000/deep/path"),
                true,
                Map.of(),
                List.of(),
                false,
                true),
            new RegistryHost(
                URI.create("https://other.example/prefix/v2"),
                true,
                Map.of(),
                List.of(here.resolve("own.pem")),
                false,
                false));
  }

  @Test
  void otherSpellingsAndTheDefault() throws IOException {
    write("reg.example_5000_", "[host.\"https://one.example\"]");
    write("_default", "[host.\"https://two.example\"]");
    assertThat(hosts("reg.example:5000").getFirst().name()).isEqualTo("one.example");
    assertThat(hosts("any.example"))
        .extracting(RegistryHost::name)
        .containsExactly("two.example", "any.example");
  }
}
