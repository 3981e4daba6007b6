package io.ocicat.agent.flannel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.ip.IpPrefix;
import io.ocicat.netlink.IpFamily;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NetConfTest {
  private static NetConf read(String text) {
    return NetConf.read("a test", text.replace('\'', '"'));
  }

  private static SubnetRange range(String text, IpFamily family) {
    return read(text).range(family).orElseThrow();
  }

  @Test
  void ipv4AloneIsUsual() {
    NetConf conf = read("{'network':'10.3.7.0/16','BACKEND':{'type':'VXLAN'}}");

    assertThat(conf.enabled()).containsExactly(IpFamily.V4);
    assertThat(conf.network(IpFamily.V4)).hasToString("Optional[10.3.0.0/16]");
    assertThat(conf.backend()).isEqualTo(new Backend.Vxlan(1, 0, 0, false, false, false));
  }

  @Test
  void everyOptionOfVxlanIsRead() {
    assertThat(
            read("{'Network':'10.3.0.0/16','Backend':{'Type':'vxlan','VNI':7,'Port':4789,"
                    + "'MTU':9000,'GBP':true,'Learning':true,'DirectRouting':true}}")
                .backend())
        .isEqualTo(new Backend.Vxlan(7, 4789, 9000, true, true, true));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "10.3.0.0/16 | 0 | 10.3.1.0–10.3.255.0/24",
        "10.3.0.0/22 | 0 | 10.3.1.0–10.3.3.0/24",
        "10.3.0.0/23 | 0 | 10.3.0.128–10.3.1.128/25",
        "10.3.0.0/28 | 0 | 10.3.0.4–10.3.0.12/30",
        "10.3.0.0/16 | 28 | 10.3.0.16–10.3.255.240/28",
        "255.0.0.0/8 | 0 | 255.0.1.0–255.255.255.0/24",
      })
  void rangesOfIpv4AreCompleted(String network, int length, String expected) {
    String given = length == 0 ? "" : ",'SubnetLen':" + length;
    assertThat(
            range(
                "{'Network':'%s'%s,'Backend':{'Type':'host-gw'}}".formatted(network, given),
                IpFamily.V4))
        .hasToString(expected);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "fc00::/48 | fc00:0:0:1::–fc00:0:0:ffff::/64",
        "fc00::/62 | fc00:0:0:1::–fc00:0:0:3::/64",
        "fc00::/63 | fc00::8000:0:0:0–fc00:0:0:1:8000::/65",
      })
  void rangesOfIpv6AreCompleted(String network, String expected) {
    assertThat(
            range(
                "{'EnableIPv4':false,'EnableIPv6':true,'IPv6Network':'%s','Backend':{'Type':'vxlan'}}"
                    .formatted(network),
                IpFamily.V6))
        .hasToString(expected);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{} | Network is missing",
        "{} | Backend.Type is missing, which means udp to flanneld: use vxlan or host-gw",
        "{'Network':'10.0.0.0/8','Backend':{}} | Backend.Type is missing: use vxlan or host-gw",
        "{'Network':'10.0.0.0/8','Backend':{'Type':'udp'}} | Backend.Type \"udp\" is not available"
            + " here: use vxlan",
        "{'Network':'10.0.0.0/8','Backend':{'Type':'wireguard'}} | \"wireguard\" is not available",
        "{'Network':'10.0.0.0/8','Backend':{'Type':'vxlan','VNI':16777216}} | Backend.VNI",
        "{'Network':'fd00::/48','Backend':{'Type':'vxlan'}} | Network must be a network of IPv4",
        "{'Network':'10.0.0.0/33','Backend':{'Type':'vxlan'}} | Network",
        "{'Network':'10.0.0.0/8','SubnetLen':31,'Backend':{'Type':'vxlan'}} | SubnetLen",
        "{'EnableIPv4':false,'Backend':{'Type':'vxlan'}} | EnableIPv4 is false and EnableIPv6 is"
            + " not true",
        "{'Network':'10.0.0.0/8', | the network configuration in a test is invalid",
        "[] | the network configuration in a test is invalid",
      })
  void whatIsWrongIsNamed(String text, String expected) {
    assertThatThrownBy(() -> read(text))
        .isInstanceOf(FlannelException.class)
        .hasMessageContaining(expected.strip());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "10.3.0.0/29 | | Network 10.3.0.0/29 is too small",
        "10.3.0.0/16 | 'SubnetLen':17, | SubnetLen 17 does not fit Network 10.3.0.0/16: it must be"
            + " 18–30",
        "10.3.0.0/16 | 'SubnetMin':'10.4.0.0', | SubnetMin 10.4.0.0 is not in the network",
        "10.3.0.0/16 | 'SubnetMax':'10.3.9.1', | SubnetMax 10.3.9.1 is not the start of a /24",
        "10.3.0.0/16 | 'SubnetMin':'10.3.9.0','SubnetMax':'10.3.8.0', | no subnet is left",
      })
  void rangesThatCannotBeAreNamed(String network, String more, String expected) {
    NetConf conf =
        read(
            "{'Network':'%s',%s'Backend':{'Type':'vxlan'}}"
                .formatted(network, more == null ? "" : more.strip()));
    assertThatThrownBy(() -> conf.range(IpFamily.V4))
        .isInstanceOf(FlannelException.class)
        .hasMessageContaining(expected.strip());
  }

  @Test
  void freeSubnetsOverlapNothing() {
    SubnetRange range =
        range(
            "{'Network':'10.3.0.0/16','SubnetMin':'10.3.8.0','SubnetMax':'10.3.11.0',"
                + "'Backend':{'Type':'vxlan'}}",
            IpFamily.V4);

    assertThat(range.free(List.of(), 100)).hasSize(4);
    assertThat(range.free(List.of(IpPrefix.parse("10.3.8.0/23")), 100))
        .extracting(IpPrefix::toString)
        .containsExactly("10.3.10.0/24", "10.3.11.0/24");
    assertThat(
            range.free(List.of(IpPrefix.parse("10.3.9.64/26"), IpPrefix.parse("10.3.8.0/24")), 1))
        .extracting(IpPrefix::toString)
        .containsExactly("10.3.10.0/24");
    assertThat(range.free(List.of(IpPrefix.parse("10.3.0.0/16")), 100)).isEmpty();
  }

  @Test
  void theEndOfTheAddressSpaceEndsTheSearch() {
    SubnetRange range =
        range(
            "{'Network':'255.255.255.0/24','SubnetLen':26,'Backend':{'Type':'vxlan'}}",
            IpFamily.V4);

    assertThat(range.free(List.of(), 100))
        .extracting(IpPrefix::toString)
        .containsExactly("255.255.255.64/26", "255.255.255.128/26", "255.255.255.192/26");
  }
}
