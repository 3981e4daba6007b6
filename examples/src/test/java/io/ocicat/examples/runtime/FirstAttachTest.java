package io.ocicat.examples.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import io.ocicat.testkit.Output;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs the example as a process on the test's own host, with the Go plugins of Debian. What it
 * keeps under {@code /var/lib/cni} is in a file system that ends with it.
 */
@Hosts
class FirstAttachTest {
  @TempDir Path directory;

  @BeforeEach
  void configure() throws IOException {
    Files.writeString(
        directory.resolve("10-blue.conflist"),
        """
        { "cniVersion": "1.0.0", "name": "blue", "plugins": [
          { "type": "bridge", "bridge": "br7", "isGateway": true,
            "ipam": { "type": "host-local", "subnet": "10.77.0.0/16", "dataDir": "%s" } } ] }
        """
            .formatted(directory.resolve("leases")));
  }

  private Output attach(Host host, String network, Host container) {
    return host.tryExec(
        "unshare",
        "--mount",
        "sh",
        "-c",
        "mount -t tmpfs none /var/lib && exec \"$@\"",
        "sh",
        System.getProperty("java.home") + "/bin/java",
        "-cp",
        System.getProperty("java.class.path"),
        FirstAttach.class.getName(),
        directory.toString(),
        "/usr/lib/cni",
        network,
        container.path().toString());
  }

  @Test
  void printsTheAddressAndLeavesNothingButTheBridge(Host host, Host container) throws IOException {
    Output output = attach(host, "blue", container);
    assertThat(output.stderr()).isEmpty();
    assertThat(output.stdout()).isEqualTo("10.77.0.2/16\n");
    assertThat(output.exitCode()).isZero();
    assertThat(host.json("ip", "-j", "link", "show", "br7")).hasSize(1);
    assertThat(container.json("ip", "-j", "link")).hasSize(1);
    try (var leases = Files.list(directory.resolve("leases/blue"))) {
      assertThat(leases.map(file -> file.getFileName().toString())).doesNotContain("10.77.0.2");
    }
  }

  @Test
  void saysWhatIsWrong(Host host, Host container) {
    Output output = attach(host, "red", container);
    assertThat(output.exitCode()).isEqualTo(1);
    assertThat(output.stderr())
        .isEqualTo("no net configuration with name \"red\" in %s\n".formatted(directory));
  }
}
