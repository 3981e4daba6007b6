package io.ocicat.agent.flannel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.ip.IpAddress;
import io.ocicat.ip.MacAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Keys and values byte for byte as flanneld has them. */
class LeaseFormatTest {
  private static final IpAddress V4 = IpAddress.parse("192.0.2.7");
  private static final IpAddress V6 = IpAddress.parse("2001:db8::7");
  private static final VtepData VTEP = new VtepData(1, MacAddress.parse("0a:11:22:33:44:55"));

  @ParameterizedTest
  @ValueSource(
      strings = {
        "10.5.52.0-24",
        "10.5.52.0-24&fd00:5::-64",
        "0.0.0.0-0&fd00:5:0:1::-64",
        "10.0.0.0-8",
      })
  void keysComeBackAsTheyWere(String key) {
    assertThat(LeaseSubnets.parse(key).orElseThrow().key()).isEqualTo(key);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "10.5.52.0",
        "10.5.52.0-",
        "10.5.52.0-32",
        "10.5.52.0-99",
        "10.5.300.0-24",
        "10.5.52-24",
        "10.5.52.0/24",
        "10.5.52.0-24x",
        "x10.5.52.0-24",
        "10.5.52.0-24&",
        "10.5.52.0-24&fd00:5::",
        "10.5.52.0-24&fd00:5::-128",
        "10.5.52.0-24&fd00:5:::-64",
        "10.5.52.0-24&10.1.0.0-16",
        "fd00:5::-64",
        "0.0.0.0-0",
      })
  void otherKeysAreNone(String key) {
    assertThat(LeaseSubnets.parse(key)).isEmpty();
  }

  @Test
  void valuesAreThoseOfFlanneld() {
    assertThat(new LeaseAttributes(V4, null, "vxlan", VTEP, null).json())
        .isEqualTo(
            "{\"PublicIP\":\"192.0.2.7\",\"PublicIPv6\":null,\"BackendType\":\"vxlan\","
                + "\"BackendData\":{\"VNI\":1,\"VtepMAC\":\"0a:11:22:33:44:55\"}}");
    assertThat(new LeaseAttributes(V4, V6, "vxlan", VTEP, VTEP).json())
        .isEqualTo(
            "{\"PublicIP\":\"192.0.2.7\",\"PublicIPv6\":\"2001:db8::7\",\"BackendType\":\"vxlan\","
                + "\"BackendData\":{\"VNI\":1,\"VtepMAC\":\"0a:11:22:33:44:55\"},"
                + "\"BackendV6Data\":{\"VNI\":1,\"VtepMAC\":\"0a:11:22:33:44:55\"}}");
    assertThat(new LeaseAttributes(V4, null, "host-gw", null, null).json())
        .isEqualTo("{\"PublicIP\":\"192.0.2.7\",\"PublicIPv6\":null,\"BackendType\":\"host-gw\"}");
    assertThat(new LeaseAttributes(null, V6, "host-gw", null, null).json())
        .isEqualTo(
            "{\"PublicIP\":\"0.0.0.0\",\"PublicIPv6\":\"2001:db8::7\",\"BackendType\":\"host-gw\"}");
  }

  @Test
  void valuesComeBackAsTheyWere() {
    for (LeaseAttributes attributes :
        new LeaseAttributes[] {
          new LeaseAttributes(V4, V6, "vxlan", VTEP, VTEP),
          new LeaseAttributes(null, V6, "vxlan", null, VTEP),
          new LeaseAttributes(V4, null, "", null, null),
        }) {
      assertThat(LeaseAttributes.parse(attributes.json())).isEqualTo(attributes);
    }
  }

  @Test
  void dataOfOtherBackEndsIsNotRead() {
    LeaseAttributes udp =
        LeaseAttributes.parse(
            "{\"PublicIP\":\"192.0.2.7\",\"BackendType\":\"wireguard\",\"BackendData\":{\"PublicKey\":\"x\"}}");

    assertThat(udp.backendType()).isEqualTo("wireguard");
    assertThat(udp.vtep()).isNull();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "null", "[]", "{\"PublicIP\":\"300.0.0.1\"}", "{\"PublicIP\":7}"})
  void otherValuesAreNamed(String value) {
    assertThatThrownBy(() -> LeaseAttributes.parse(value))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void nodesAreToldApartByTheirIpv4AddressAndWithIpv6AloneByThat() {
    LeaseAttributes dual = new LeaseAttributes(V4, V6, "vxlan", VTEP, VTEP);
    LeaseAttributes six = new LeaseAttributes(null, V6, "vxlan", null, VTEP);
    LeaseAttributes other =
        new LeaseAttributes(null, IpAddress.parse("2001:db8::8"), "vxlan", null, VTEP);

    assertThat(dual.isSameNode(new LeaseAttributes(V4, null, "host-gw", null, null))).isTrue();
    assertThat(dual.isSameNode(six)).isFalse();
    assertThat(six.isSameNode(six)).isTrue();
    assertThat(six.isSameNode(other)).isFalse();
    assertThat(new LeaseAttributes(null, null, "", null, null).isSameNode(six)).isFalse();
  }
}
