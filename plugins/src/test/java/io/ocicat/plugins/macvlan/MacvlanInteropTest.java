package io.ocicat.plugins.macvlan;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.plugins.Attaching;
import io.ocicat.plugins.Side;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Together with the Go plugin on one host, each with its own host-local on the same leases. */
@Hosts
class MacvlanInteropTest {
  private Shared shared;
  private String fields;
  private Path leases;

  @BeforeEach
  void neighbour(Host host, Host neighbour, @TempDir Path bin, @TempDir Path leases) {
    shared = Shared.with(host, neighbour, bin);
    this.leases = leases;
    fields =
        "'master':'%s','mtu':1400,'mac':'02:00:00:00:00:07','dns':{'domain':'here'},'ipam':{'type':'host-local','dataDir':'%s','ranges':[[{'subnet':'10.0.0.0/24','rangeStart':'10.0.0.100'}]],'routes':[{'dst':'0.0.0.0/0'}]}"
            .formatted(shared.master(), leases);
  }

  @ParameterizedTest
  @ValueSource(strings = {"0.1.0", "0.2.0", "0.3.0", "0.3.1", "0.4.0", "1.0.0"})
  void theResultIsThatOfTheOriginal(String version, Host pod) throws IOException {
    Attaching eth0 = shared.bare(pod, version, fields);

    JsonNode go = eth0.by(Side.GO).add().ok();
    String goAddresses = addresses(pod);
    eth0.by(Side.GO).del().ok();
    Files.delete(leases.resolve("net").resolve("last_reserved_ip.0"));
    JsonNode ours = eth0.add().ok();

    assertThat(ours).isEqualTo(go);
    assertThat(addresses(pod)).isEqualTo(goAddresses);
  }

  @ParameterizedTest
  @CsvSource({"OURS,GO", "GO,OURS"})
  void oneFinishesWhatTheOtherBegan(Side adding, Side deleting, Host pod) {
    Attaching eth0 = shared.bare(pod, "1.0.0", fields);

    JsonNode result = eth0.by(adding).add().ok();
    Attaching later = Shared.withPrevious(eth0, result);
    later.by(Side.OURS).check().ok();
    later.by(Side.GO).check().ok();
    later.by(deleting).del().ok();

    assertThat(Shared.links(pod)).isZero();
    assertThat(leases.resolve("net").resolve("10.0.0.100")).doesNotExist();
  }

  private static String addresses(Host pod) {
    JsonNode link = pod.json("ip", "-j", "-4", "address", "show", "eth0").path(0);
    ((ObjectNode) link).remove("ifindex");
    ((ObjectNode) link).remove("operstate");
    // Debian's original asks for 0, the newer ones for nothing, which makes it 1000.
    ((ObjectNode) link).remove("txqlen");
    return link.toString();
  }
}
