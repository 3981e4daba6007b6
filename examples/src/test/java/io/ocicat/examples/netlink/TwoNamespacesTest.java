package io.ocicat.examples.netlink;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import io.ocicat.testkit.Output;
import org.junit.jupiter.api.Test;

/** Review U8: the program of docs/netlink.md, run as the page runs it. */
@Hosts
class TwoNamespacesTest {
  @Test
  void tellsWhatItFoundAndTouchesNothingOfTheHost(Host host) {
    int links = host.json("ip", "-j", "link").size();
    Output output =
        host.tryExec(
            System.getProperty("java.home") + "/bin/java",
            "--enable-native-access=ALL-UNNAMED",
            "-cp",
            System.getProperty("java.class.path"),
            TwoNamespaces.class.getName());
    assertThat(output.stderr()).isEmpty();
    assertThat(output.stdout())
        .contains("created veth0 and eth0", "192.0.2.7 is reached via 10.1.0.1", "removed veth0")
        .endsWith("so it is gone\n");
    assertThat(output.exitCode()).isZero();
    assertThat(host.json("ip", "-j", "link")).hasSize(links);
  }
}
