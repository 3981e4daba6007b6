package io.ocicat.plugins.bridge;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.base.json.Json;
import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.plugins.Attaching;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** An IPAM plugin that returns addresses that no container can have. */
@Hosts
class HostileIpamTest {
  @TempDir Path leases;
  @TempDir Path scripts;

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\'',
      textBlock =
          """
          {"address":"10.9.0.5/0"}                          | wider than /8
          {"address":"127.0.0.77/8"}                        | is a loopback address
          {"address":"224.0.0.5/24"}                        | is a multicast address
          {"address":"240.0.0.5/4"}                         | wider than /8
          {"address":"255.255.255.255/32"}                  | is the broadcast address
          {"address":"0.0.0.0/24"}                          | is the unspecified address
          {"address":"::1/128"}                             | is a loopback address
          {"address":"ff02::1/64"}                          | is a multicast address
          {"address":"10.9.0.5/24","gateway":"0.0.0.0"}     | is the unspecified address
          {"address":"10.9.0.5/24","gateway":"224.0.0.1"}   | is a multicast address
          {"address":"10.9.0.5/24","gateway":"fd00::1"}     | is of the other family
          """)
  void addressesThatCannotBeAreRefusedAndReleased(String ip, String why, Host host, Host pod) {
    refused("{\"cniVersion\":\"1.1.0\",\"ips\":[%s]}".formatted(ip), why, host, pod);
  }

  @Test
  void controlCharactersInDnsAreRefusedAndReleased(Host host, Host pod) {
    refused(
        "{\"cniVersion\":\"1.1.0\",\"ips\":[{\"address\":\"10.9.0.5/24\"}],"
            + "\"dns\":{\"search\":[\"a\\nnameserver 192.0.2.1\"]}}",
        "DNS setting \"a\\nnameserver 192.0.2.1\" has control characters",
        host,
        pod);
  }

  private void refused(String answer, String why, Host host, Host pod) {
    ScriptedIpam ipam = ScriptedIpam.in(scripts).answering(answer);
    BridgeNetwork network = ipam.of(BridgeNetwork.on(host).with("isGateway", true));

    CniException error = ipam.found(network.attach(pod)).add().error();

    assertThat(error.code()).isEqualTo(ErrorCode.DECODING_FAILURE);
    assertThat(error.msg()).contains("IPAM plugin \"scripted\"", why).doesNotContain("\n");
    assertThat(ipam.calls()).startsWith("ADD", "DEL");
    assertThat(Left.on(host, leases).links()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"address\":\"10.9.0.5/32\",\"gateway\":\"169.254.1.1\"}",
        "{\"address\":\"10.9.0.0/31\"}",
        "{\"address\":\"fd00::/128\"}",
        "{\"address\":\"240.1.0.5/16\"}"
      })
  void whatGoPluginsReturnIsTaken(String ip, Host host, Host pod) {
    ScriptedIpam ipam =
        ScriptedIpam.in(scripts).answering("{\"cniVersion\":\"1.1.0\",\"ips\":[%s]}".formatted(ip));
    ipam.found(ipam.of(BridgeNetwork.on(host)).attach(pod)).add().ok();
  }

  /** Delegating to itself used to end in a stack overflow. */
  @Test
  void aPluginIsNotItsOwnIpam(Host host, Host pod) {
    CniException error = withIpam("bridge", host, pod).add().error();

    assertThat(error.code()).isEqualTo(ErrorCode.INVALID_NETWORK_CONFIG);
    assertThat(error.msg()).isEqualTo("ipam.type \"bridge\" names the plugin itself");
    assertThat(Left.on(host, leases).links()).isEmpty();
  }

  @Test
  void norIsOneThatWouldDelegateToItselfInTurn(Host host, Host pod) {
    CniException error = withIpam("ptp", host, pod).add().error();

    assertThat(error.msg()).doesNotContain("StackOverflow", "\n");
    assertThat(Left.on(host, leases).links()).isEmpty();
  }

  private static Attaching withIpam(String type, Host host, Host pod) {
    return BridgeNetwork.on(host).with("ipam", Json.object().put("type", type)).attach(pod);
  }
}
