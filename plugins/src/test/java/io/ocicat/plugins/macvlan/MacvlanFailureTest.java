package io.ocicat.plugins.macvlan;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.plugins.Attaching;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

/** What is rejected, what fails and what CHECK detects. */
@Hosts
class MacvlanFailureTest {
  private Shared shared;

  @BeforeEach
  void neighbour(Host host, Host neighbour, @TempDir Path bin) {
    shared = Shared.with(host, neighbour, bin);
  }

  @Test
  void whateverFailsNothingIsLeft(Host pod) {
    failsLeavingNothing(pod, "'master':'never'", "failed to lookup master \"never\"");
    failsLeavingNothing(pod, "'mtu':1501", "invalid MTU 1501, must be [0, master MTU(1500)]");
    failsLeavingNothing(pod, "'mac':'01:00:00:00:00:01'", "create macvlan \"eth0\"");
    assertThat(shared.ipam().calls()).as("until here nobody asked for addresses").isEmpty();
    shared.ipam().answer("{\"ips\":[]}");
    failsLeavingNothing(pod, "", "IPAM plugin returned missing IP config");
    shared
        .ipam()
        .answer(
            "{\"ips\":[{\"address\":\"10.0.0.3/24\"}],\"routes\":[{\"dst\":\"1.2.3.0/24\",\"gw\":\"9.9.9.9\"}]}");
    failsLeavingNothing(pod, "", "route 1.2.3.0/24 via 9.9.9.9");
    shared.ipam().failOn("ADD");
    failsLeavingNothing(pod, "", "testipam was told to fail");
    long added = shared.ipam().calls().stream().filter(call -> call.startsWith("ADD")).count();
    long deleted = shared.ipam().calls().stream().filter(call -> call.startsWith("DEL")).count();
    assertThat(added).isEqualTo(deleted).isEqualTo(15);
  }

  private void failsLeavingNothing(Host pod, String fields, String message) {
    Attaching eth0 = shared.attaching(pod, "1.0.0", "");
    if (!fields.isEmpty()) {
      eth0 = shared.ipam().with(shared.bare(pod, "1.0.0", withMaster(fields)));
    }
    for (int i = 0; i < 5; i++) {
      assertThat(eth0.add().error().msg()).contains(message);
      assertThat(Shared.links(pod)).as(message).isZero();
    }
  }

  private String withMaster(String fields) {
    return (fields.contains("master") ? "" : "'master':'%s',".formatted(shared.master()))
        + "'ipam':{'type':'testipam'},"
        + fields;
  }

  @Test
  void aSecondAddIsRefusedAndTheFirstKeepsItsAddress(Host pod) {
    Attaching eth0 = shared.attaching(pod, "1.0.0", "");
    eth0.add().ok();

    assertThat(eth0.add().error().msg())
        .isEqualTo("container interface name (\"eth0\") already exists");

    assertThat(shared.ipam().calls()).hasSize(1);
    pod.exec("ping", "-c1", "-W2", "10.0.0.2");
  }

  @Test
  void delDoesTheRestWhenIpamFails(Host pod) {
    Attaching eth0 = shared.attaching(pod, "1.0.0", "");
    eth0.add().ok();
    shared.ipam().failOn("DEL");

    assertThat(eth0.del().error().msg()).contains("told to fail");
    assertThat(Shared.links(pod)).isZero();
  }

  @Test
  void delNeedsNoMaster(Host host, Host pod) {
    Attaching eth0 = shared.attaching(pod, "1.0.0", "'mode':'nonsense'");
    host.exec("ip", "link", "del", shared.master());

    eth0.del().ok();
    eth0.withNetns("").del().ok();
    assertThat(shared.ipam().calls()).hasSize(2);
  }

  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '`',
      delimiter = '|',
      value = {
        "'master':7|master must be a string, not 7",
        "'mode':'source'|mode must be one of \"bridge\", \"private\", \"vepa\", \"passthru\", not \"source\"",
        "'mode':1|mode must be a string, not 1",
        "'mtu':-1|mtu must be a whole number",
        "'mtu':'1500'|mtu must be a whole number",
        "'mac':'x'|mac \"x\" is not a MAC address",
        "'linkInContainer':'yes'|linkInContainer must be true or false, not \"yes\"",
        "'bcqueuelen':-1|bcqueuelen must be a whole number 0–4294967295, not -1",
        "'runtimeConfig':{'mac':'x'}|runtimeConfig.mac \"x\" is not a MAC address",
      })
  void whatIsWrongIsNamed(String fields, String message, Host pod) {
    CniException error = shared.bare(pod, "1.0.0", fields).add().error();

    assertThat(error.msg()).startsWith(message);
    assertThat(error.code()).isEqualTo(ErrorCode.INVALID_NETWORK_CONFIG);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "pod|ip link del eth0|link \"eth0\" not found",
        "pod|ip link set eth0 down|interface \"eth0\" is down",
        "pod|ip link set eth0 address 02:00:00:00:00:01|has the hardware address 02:00:00:00:00:01, not",
        "pod|ip link set eth0 type macvlan mode vepa|interface \"eth0\" has macvlan mode vepa, not bridge",
        "pod|ip address del 10.0.0.3/24 dev eth0|failed to match addr 10.0.0.3/24 on interface eth0",
        "pod|ip route del default|expected route 0.0.0.0/0 not found",
        "host|ip link del MASTER|failed to lookup master \"MASTER\"",
      })
  void checkNamesWhatHasChanged(String where, String change, String message, Host host, Host pod) {
    Attaching eth0 = shared.attaching(pod, "1.1.0", "");
    JsonNode result = eth0.add().ok();
    Attaching before = Shared.withPrevious(eth0, result);
    before.check().ok();

    (where.equals("pod") ? pod : host).exec(change.replace("MASTER", shared.master()).split(" "));

    assertThat(before.check().error().msg()).contains(message.replace("MASTER", shared.master()));
  }

  @Test
  void checkWantsTheSameMasterAndASharedInterface(Host host, Host pod) {
    Attaching eth0 = shared.attaching(pod, "1.1.0", "");
    JsonNode result = eth0.add().ok();
    host.exec("ip", "link", "add", "far0", "type", "veth", "peer", "name", "far1");
    Attaching before = Shared.withPrevious(eth0, result);

    assertThat(
            before
                .withConfig(before.config().replace(shared.master(), "far0"))
                .check()
                .error()
                .msg())
        .isEqualTo("interface \"eth0\" does not share the master \"far0\"");
    pod.exec("ip", "link", "del", "eth0");
    pod.exec("ip", "link", "add", "eth0", "type", "bridge");
    assertThat(before.check().error().msg()).isEqualTo("interface \"eth0\" is not a macvlan");
    assertThat(eth0.check().error().msg()).isEqualTo("required prevResult missing");
    assertThat(before.with("CNI_IFNAME", "lo").check().error().msg())
        .startsWith("prevResult has no interface \"lo\"");
  }
}
