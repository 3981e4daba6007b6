package io.ocicat.plugins.tuning;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.cni.CniJson;
import io.ocicat.plugins.Attaching;
import io.ocicat.plugins.Side;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Together with the Go plugin on one host. Debian's does not know txQLen yet. */
@Hosts
class TuningInteropTest {
  private static final String EVERYTHING =
      "'sysctl':{'net.ipv4.conf.IFNAME.rp_filter':'2'},"
          + "'mac':'c2:11:22:33:44:55','promisc':true,'mtu':1454,'allmulti':true";

  private Tuned tuned;

  @BeforeEach
  void wire(Host host, Host pod, @TempDir Path directory) {
    tuned = Tuned.wired(host, pod, directory);
  }

  @ParameterizedTest
  @ValueSource(strings = {"0.1.0", "0.2.0", "0.3.0", "0.3.1", "0.4.0", "1.0.0"})
  void theResultAndTheBackupAreThoseOfTheOriginal(String version) throws IOException {
    Attaching eth0 = tuned.with(version, EVERYTHING);

    JsonNode go = eth0.by(Side.GO).add().ok();
    ObjectNode goBackup = (ObjectNode) CniJson.parse(Files.readAllBytes(tuned.backup()));
    eth0.del().ok();
    JsonNode ours = eth0.add().ok();
    ObjectNode ourBackup = (ObjectNode) CniJson.parse(Files.readAllBytes(tuned.backup()));

    // Debian's Go plugin also prints an empty dns in 1.0.0, which that version leaves out.
    ((ObjectNode) go).remove("dns");
    ((ObjectNode) ours).remove("dns");
    assertThat(ours).isEqualTo(go);
    assertThat(ourBackup.remove("ocicat").isObject()).isTrue();
    assertThat(ourBackup).isEqualTo(goBackup);
  }

  @ParameterizedTest
  @CsvSource({"OURS,GO", "GO,OURS", "OURS,OURS"})
  void oneFinishesWhatTheOtherBegan(Side adding, Side deleting) throws IOException {
    String before = tuned.settings();
    String filter = tuned.sysctl("net.ipv4.conf.eth0.rp_filter");
    Attaching eth0 = tuned.with("1.0.0", EVERYTHING);

    eth0.by(adding).add().ok();
    assertThat(tuned.settings()).isEqualTo(Tuned.MAC + " 1454 1000 true true");
    eth0.check().ok();
    Attaching expanded = eth0.withConfig(eth0.config().replace("IFNAME", "eth0"));
    // Debian's Go plugin does not replace IFNAME in CHECK.
    expanded.by(Side.GO).check().ok();
    eth0.by(deleting).del().ok();

    assertThat(tuned.settings()).isEqualTo(before);
    assertThat(tuned.files()).isEmpty();
    assertThat(tuned.sysctl("net.ipv4.conf.eth0.rp_filter"))
        .as("only we keep sysctls, and only we put them back")
        .isEqualTo(adding == Side.OURS && deleting == Side.OURS ? filter : "2");
  }

  /** Go leaves the backup of a container whose namespace is gone for ever. */
  @Test
  void whatGoLeavesBehindWeRemove() throws IOException {
    Attaching eth0 = tuned.with("1.0.0", EVERYTHING);
    eth0.by(Side.GO).add().ok();
    eth0.by(Side.GO).withNetns("").del().ok();
    assertThat(tuned.files()).hasSize(1);

    eth0.withNetns("").del().ok();

    assertThat(tuned.files()).isEmpty();
  }
}
