package io.ocicat.plugins.portmap;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.PluginConfig;
import io.ocicat.cni.PortMapping;
import io.ocicat.ip.IpAddress;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PortmapConfTest {

  @Test
  void nothingIsRequired() {
    PortmapConf conf = read("");

    assertThat(conf.snat()).isTrue();
    assertThat(conf.masqAll()).isFalse();
    assertThat(conf.conditionsV4().isNone()).isTrue();
    assertThat(conf.conditionsV6().isNone()).isTrue();
    assertThat(conf.mappings()).isEmpty();
  }

  @Test
  void everythingCanBeSaid() {
    PortmapConf conf =
        read(
            """
            "backend":"nftables","snat":false,"masqAll":true,
            "conditionsV4":["ip","saddr","10.0.0.0/8"],"conditionsV6":["iifname eth0"],
            "runtimeConfig":{"portMappings":[
              {"hostPort":8080,"containerPort":80,"protocol":"TCP","hostIP":"192.0.2.1"},
              {"hostPort":8080,"containerPort":80,"protocol":"tcp","hostIP":"192.0.2.1"},
              {"hostPort":53,"containerPort":53,"protocol":"udp","hostIP":""}]}\
            """);

    assertThat(conf.snat()).isFalse();
    assertThat(conf.masqAll()).isTrue();
    assertThat(conf.conditionsV4().alternatives()).hasSize(1);
    assertThat(conf.conditionsV6().alternatives()).hasSize(1);
    assertThat(conf.mappings())
        .containsExactly(
            new PortMapping(8080, 80, PortMapping.Protocol.TCP, IpAddress.parse("192.0.2.1")),
            new PortMapping(53, 53, PortMapping.Protocol.UDP, null));
  }

  /** Settings of the Go plugin's other backend, which change nothing for the user. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "\"backend\":\"iptables\"",
        "\"backend\":\"iptables\",\"markMasqBit\":5",
        "\"externalSetMarkChain\":\"KUBE-MARK-MASQ\"",
        "\"backend\":\"iptables\",\"externalSetMarkChain\":\"X\"",
        "\"markMasqBit\":0",
        "\"markMasqBit\":31",
        "\"backend\":\"nftables\",\"markMasqBit\":13",
        "\"backend\":null,\"snat\":null,\"externalSetMarkChain\":null,\"conditionsV4\":null",
        "\"externalSetMarkChain\":\"\",\"conditionsV4\":[],\"backend\":\"\"",
        "\"SNAT\":true,\"RuntimeConfig\":{\"portmappings\":[]}",
        "\"future\":{\"option\":1}",
      })
  void whatMakesNoDifferenceIsAccepted(String options) {
    assertThat(read(options)).isEqualTo(read(""));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "V4 | -s,10.0.0.0/8 | ip saddr == 10.0.0.0/8",
        "V4 | !,-s,10.0.0.0/8 | ip saddr != 10.0.0.0/8",
        "V4 | ! -s 10.0.0.0/8 -i eth0 | ip saddr != 10.0.0.0/8 iifname eth0",
        "V6 | --source;fd00::/8 | ip6 saddr == fd00::/8",
        "V4 | -s;10.0.0.0/8,192.168.0.0/16 | ip saddr { 10.0.0.0/8, 192.168.0.0/16 }",
        "V4 | -d;192.0.2.1;-p;tcp;-m;tcp;--sport;1024:65535 | ip daddr 192.0.2.1 meta l4proto tcp"
            + " th sport 1024-65535",
        "V4 | -m;multiport;--dports;80,8080:8090 | th dport { 80, 8080-8090 }",
        "V4 | -i;eth+ | iifname eth*",
        "V4 | -m;mark;!;--mark;0x1/0xff | meta mark & 0xff != 0x1",
        "V4 | -m;connmark;--mark;0x2 | ct mark 0x2",
        "V4 | -m;iprange;--src-range;10.0.0.1-10.0.0.9 | ip saddr 10.0.0.1-10.0.0.9",
        "V4 | -s;10.0.0.1;-m;comment;--comment;why | ip saddr 10.0.0.1",
      })
  void conditionsInIptablesWordsMeanTheSame(String family, String iptables, String nft) {
    String separator = iptables.contains(";") ? ";" : ",";
    String member = "\"conditions%s\":[\"%s\"]";

    assertThat(read(member.formatted(family, String.join("\",\"", iptables.split(separator)))))
        .asString()
        .isEqualTo(read(member.formatted(family, nft)).toString());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "\"backend\":\"pf\"|backend is an unrecognized backend: must be \"iptables\" or"
            + " \"nftables\", not \"pf\"",
        "\"backend\":7|backend must be a string, not 7",
        "\"snat\":\"yes\"|snat must be true or false, not \"yes\"",
        "\"masqAll\":1|masqAll must be true or false, not 1",
        "\"markMasqBit\":32|markMasqBit must be between 0 and 31, not 32",
        "\"markMasqBit\":-1|markMasqBit must be between 0 and 31, not -1",
        "\"markMasqBit\":\"13\"|markMasqBit must be a whole number",
        "\"markMasqBit\":13,\"externalSetMarkChain\":\"X\"|cannot specify both",
        "\"externalSetMarkChain\":[]|externalSetMarkChain must be a string, not a list",
        "\"conditionsV4\":[\"-m\",\"addrtype\",\"--dst-type\",\"LOCAL\"]|conditionsV4 cannot be"
            + " used: \"--dst-type\" of iptables has no translation",
        "\"conditionsV6\":[\"-s\"]|conditionsV6 cannot be used: they end where the value of -s",
        "\"conditionsV6\":[\"-s\",\"!\",\"fd00::/8\"]|conditionsV6 cannot be used: ! follows"
            + " -s",
        "\"backend\":\"iptables\",\"conditionsV4\":[\"-s\",\"elsewhere\"]|conditionsV4"
            + " \"elsewhere\" is not an IP address",
        "\"backend\":\"iptables\",\"conditionsV4\":[\"ip\",\"saddr\",\"10.0.0.0/8\"]|iptables"
            + " backend was requested but configuration contains nftables-specific options"
            + " [conditionsV4]",
        "\"backend\":\"nftables\",\"externalSetMarkChain\":\"X\",\"conditionsV6\":[\"-s\",\"fd00::/8\"]|nftables"
            + " backend was requested but configuration contains iptables-specific options"
            + " [externalSetMarkChain conditionsV6]",
        "\"conditionsV4\":\"ip saddr 10.0.0.0/8\"|conditionsV4 must be a list, not \"ip saddr"
            + " 10.0.0.0/8\"",
        "\"conditionsV4\":[\"ip\",7]|conditionsV4[1] must be a string, not 7",
        "\"conditionsV4\":[\"ip\",\"saddr\",\"elsewhere\"]|conditionsV4 \"elsewhere\" is not an IP"
            + " address",
        "\"runtimeConfig\":[]|runtimeConfig must be an object, not a list",
        "\"runtimeConfig\":{\"portMappings\":{}}|runtimeConfig.portMappings must be a list, not an"
            + " object",
        "\"runtimeConfig\":{\"portMappings\":[8080]}|runtimeConfig.portMappings[0] must be an"
            + " object, not 8080",
      })
  void whatIsWrongIsNamed(String options, String message) {
    assertThatThrownBy(() -> read(options))
        .isInstanceOfSatisfying(
            CniException.class,
            e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_NETWORK_CONFIG))
        .hasMessageContaining(message);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "\"hostPort\":0,\"containerPort\":80|hostPort must be 1–65535: Invalid host port number: 0",
        "\"hostPort\":-1,\"containerPort\":80|hostPort must be 1–65535: Invalid host port number:"
            + " -1",
        "\"hostPort\":65536,\"containerPort\":80|hostPort must be 1–65535: Invalid host port"
            + " number: 65536",
        "\"hostPort\":80,\"containerPort\":0|containerPort must be 1–65535: Invalid container port"
            + " number: 0",
        "\"hostPort\":80,\"containerPort\":70000|containerPort must be 1–65535: Invalid container"
            + " port number: 70000",
        "\"hostPort\":\"80\",\"containerPort\":80|hostPort must be a whole number",
        "\"hostPort\":80.5,\"containerPort\":80|hostPort must be a whole number",
        "\"containerPort\":80|hostPort is missing",
        "\"hostPort\":80|containerPort is missing",
        "\"hostPort\":80,\"containerPort\":80,\"protocol\":\"icmp\"|protocol must be tcp, udp or"
            + " sctp, not \"icmp\"",
        "\"hostPort\":80,\"containerPort\":80,\"protocol\":6|protocol must be a string, not 6",
        "\"hostPort\":80,\"containerPort\":80,\"hostIP\":\"localhost\"|hostIP \"localhost\" is not"
            + " an IP address",
        "\"hostPort\":80,\"containerPort\":80,\"hostIP\":\"10.0.0.1/24\"|hostIP \"10.0.0.1/24\" is"
            + " not an IP address",
        "\"hostPort\":80,\"containerPort\":80,\"hostIP\":10|hostIP must be a string, not 10",
      })
  void aWrongMappingIsNamed(String mapping, String message) {
    assertThatThrownBy(() -> read("\"runtimeConfig\":{\"portMappings\":[{%s}]}".formatted(mapping)))
        .isInstanceOfSatisfying(
            CniException.class,
            e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_NETWORK_CONFIG))
        .hasMessageContaining("runtimeConfig.portMappings[0]." + message);
  }

  @Test
  void everythingWrongIsNamedAtOnce() {
    assertThatThrownBy(
            () ->
                read(
                    "\"snat\":1,\"runtimeConfig\":{\"portMappings\":[{\"hostPort\":0,\"containerPort\":0}]}"))
        .hasMessageContaining("3 problems")
        .hasMessageContaining("snat must be true or false")
        .hasMessageContaining("Invalid container port number: 0")
        .hasMessageContaining("Invalid host port number: 0");
  }

  /** 20,000 mappings kept a daemon busy for a minute. */
  @Test
  void moreMappingsThanAnybodyPublishesAreRefused() {
    String mappings =
        IntStream.rangeClosed(1, 20_000)
            .mapToObj(port -> "{\"hostPort\":%d,\"containerPort\":80}".formatted(port))
            .collect(Collectors.joining(","));
    assertThatThrownBy(() -> read("\"runtimeConfig\":{\"portMappings\":[" + mappings + "]}"))
        .hasMessageContaining("portMappings are too many: 20000, at most 16384");
  }

  @Test
  void onePortCannotLeadToTwoPlaces() {
    PortmapConf conf =
        read(
            """
            "runtimeConfig":{"portMappings":[
              {"hostPort":8080,"containerPort":80},
              {"hostPort":8080,"containerPort":80,"hostIP":"0.0.0.0"},
              {"hostPort":8080,"containerPort":81,"hostIP":"0.0.0.0"}]}\
            """);
    List<ContainerAddress> places =
        List.of(new ContainerAddress(IpAddress.parse("10.1.0.2"), "cni0"));

    assertThatThrownBy(() -> PortClaim.of("net/pod/eth0", conf, places))
        .isInstanceOfSatisfying(
            CniException.class,
            e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_NETWORK_CONFIG))
        .hasMessage(
            "runtimeConfig.portMappings leads host port 8080/tcp to two ports of the container, 80"
                + " and 81");
  }

  @Test
  void mappingsAreCountedOnceAndBounded() {
    List<String> ports =
        IntStream.range(1, 20_000)
            .mapToObj("{\"hostPort\":%d,\"containerPort\":80}"::formatted)
            .toList();
    String twice =
        String.join(",", ports.subList(0, 9_000)) + "," + String.join(",", ports.subList(0, 9_000));
    assertThat(read("\"runtimeConfig\":{\"portMappings\":[%s]}".formatted(twice)).mappings())
        .hasSize(9_000);
    String all = String.join(",", ports);
    assertThatThrownBy(() -> read("\"runtimeConfig\":{\"portMappings\":[%s]}".formatted(all)))
        .isInstanceOf(CniException.class)
        .hasMessageContaining("at most 16384");
  }

  private static PortmapConf read(String options) {
    String config =
        "{\"cniVersion\":\"1.1.0\",\"name\":\"net\",\"type\":\"portmap\"%s%s}"
            .formatted(options.isEmpty() ? "" : ",", options);
    return PortmapConf.read(PluginConfig.ofRequest(config.getBytes(UTF_8)));
  }
}
