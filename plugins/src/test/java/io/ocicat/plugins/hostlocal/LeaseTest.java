package io.ocicat.plugins.hostlocal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.cni.Attachment;
import io.ocicat.cni.CniException;
import io.ocicat.cni.CniJson;
import io.ocicat.cni.PluginConfig;
import io.ocicat.ip.IpAddress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Reading leases for commands, without a call. */
class LeaseTest {
  @TempDir Path tmp;

  /** Like an element of a list: without the network's name. */
  private static PluginConfig plugin(String dataDir) {
    return PluginConfig.of(
        CniJson.parse(
            "{\"type\":\"bridge\",\"ipam\":{\"type\":\"host-local\",\"dataDir\":%s}}"
                .formatted(dataDir)));
  }

  private List<Lease> leases() {
    return Lease.of("mynet", plugin("\"" + tmp + "\""));
  }

  @Test
  void leasesNameAddressAndInterface() {
    NetworkDir dir = new NetworkDir(tmp.resolve("mynet"));
    dir.put("10.1.2.3", "a\r\neth0");
    dir.put("fd00::7", "a\r\nnet1");

    assertThat(leases())
        .containsExactlyInAnyOrder(
            new Lease("mynet", IpAddress.parse("10.1.2.3"), new Attachment("a", "eth0")),
            new Lease("mynet", IpAddress.parse("fd00::7"), new Attachment("a", "net1")));
  }

  @Test
  void whatIsNoLeaseOfOneInterfaceIsPassedOverAndLeftAsItIs() throws IOException {
    NetworkDir dir = new NetworkDir(tmp.resolve("mynet"));
    dir.put("10.1.2.3", "from-before-there-were-interfaces");
    dir.put("10.1.2.4", "");
    dir.put("10.1.2.5", "no owner at all");
    dir.put(LeaseFile.DRAFT, "dead\r\neth0");
    dir.put("last_reserved_ip.0", "10.1.2.5");
    dir.put("abc", "a\r\neth0");
    Files.createDirectory(dir.path().resolve("deeper"));
    dir.put("deeper/10.1.2.6", "a\r\neth0");
    Map<String, String> before = dir.files();

    assertThat(leases()).isEmpty();
    assertThat(dir.files()).isEqualTo(before);
  }

  @Test
  void whereNothingWasEverLeasedThereIsNothing() {
    assertThat(leases()).isEmpty();
    assertThat(tmp).isEmptyDirectory();
  }

  @Test
  void aConfigurationThatDoesNotSayWhereIsRefused() {
    assertThatThrownBy(() -> Lease.of("mynet", plugin("7")))
        .isInstanceOf(CniException.class)
        .hasMessageContaining("ipam.dataDir must be a string, not 7");
  }
}
