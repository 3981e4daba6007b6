package io.ocicat.agent.flannel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.agent.startup.StartupException;
import io.ocicat.ip.IpAddress;
import io.ocicat.netlink.IpFamily;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class FlannelSettingsTest {
  @Test
  void withoutVariablesEverythingIsAsInFlanneld() {
    FlannelSettings settings = FlannelSettings.of(Map.of());

    assertThat(settings.subnetFile()).isEqualTo(Path.of("/run/flannel/subnet.env"));
    assertThat(settings.renewMargin()).isEqualTo(Duration.ofMinutes(60));
    assertThat(settings.masquerade()).isFalse();
    assertThat(settings.masqueradeFullyRandom()).isTrue();
    assertThat(settings.forwardRules()).isTrue();
    assertThat(settings.blackholeRoute()).isFalse();
    assertThat(settings.nodeLeases()).isFalse();
    assertThat(settings.keyPrefix()).isEqualTo("/coreos.com/network");
    assertThat(settings.etcd()).isEmpty();
    assertThat(settings.netConf()).isEqualTo(Path.of("/etc/kube-flannel/net-conf.json"));
    assertThat(settings.announceNode()).isTrue();
    assertThat(settings.annotations().prefix()).isEqualTo("flannel.alpha.coreos.com/");
    assertThat(settings.warnings()).isEmpty();
  }

  @Test
  void everyVariableIsRead() {
    FlannelSettings settings =
        FlannelSettings.of(
            Map.ofEntries(
                Map.entry("FLANNELD_IFACE", "eth1, 192.0.2.1"),
                Map.entry("FLANNELD_IFACE_REGEX", "^eth"),
                Map.entry("FLANNELD_IFACE_CAN_REACH", "192.0.2.9"),
                Map.entry("FLANNELD_PUBLIC_IP", "198.51.100.1"),
                Map.entry("FLANNELD_PUBLIC_IPV6", "2001:db8::1"),
                Map.entry("FLANNELD_SUBNET_LEASE_RENEW_MARGIN", "1439"),
                Map.entry("FLANNELD_IP_MASQ", "T"),
                Map.entry("FLANNELD_IP_MASQ_FULLY_RANDOM_DISABLE", "true"),
                Map.entry("FLANNELD_IPTABLES_FORWARD_RULES", "0"),
                Map.entry("FLANNELD_ETCD_PREFIX", "/net/"),
                Map.entry("FLANNELD_ETCD_ENDPOINTS", "http://192.0.2.5:2379,http://192.0.2.6:2379"),
                Map.entry("FLANNELD_HEALTHZ_PORT", "8081")));

    assertThat(settings.interfaces()).containsExactly("eth1", "192.0.2.1");
    assertThat(settings.interfacePattern()).hasToString("^eth");
    assertThat(settings.canReach()).isEqualTo(IpAddress.parse("192.0.2.9"));
    assertThat(settings.publicAddresses()).containsOnlyKeys(IpFamily.V4, IpFamily.V6);
    assertThat(settings.renewMargin()).isEqualTo(Duration.ofMinutes(1439));
    assertThat(settings.masquerade()).isTrue();
    assertThat(settings.masqueradeFullyRandom()).isFalse();
    assertThat(settings.forwardRules()).isFalse();
    assertThat(settings.keyPrefix()).isEqualTo("/net");
    assertThat(settings.etcd().orElseThrow().endpoints()).hasSize(2);
    assertThat(settings.warnings())
        .singleElement()
        .asString()
        .startsWith("FLANNELD_HEALTHZ_PORT has no effect");
  }

  @ParameterizedTest
  @CsvSource({
    "FLANNELD_IP_MASQ, maybe",
    "FLANNELD_SUBNET_LEASE_RENEW_MARGIN, 0",
    "FLANNELD_SUBNET_LEASE_RENEW_MARGIN, 1440",
    "FLANNELD_SUBNET_LEASE_RENEW_MARGIN, x",
    "FLANNELD_PUBLIC_IP, 2001:db8::1",
    "FLANNELD_PUBLIC_IPV6, 192.0.2.1",
    "FLANNELD_IFACE_REGEX, [",
    "FLANNELD_IFACE_CAN_REACH, example",
    "FLANNELD_SUBNET_FILE, subnet.env",
    "FLANNELD_ETCD_PREFIX, network",
    "FLANNELD_ETCD_ENDPOINTS, 192.0.2.1:2379",
    "FLANNELD_KUBE_ANNOTATION_PREFIX, a/b/c",
  })
  void aBadVariableIsNamed(String variable, String value) {
    assertThatThrownBy(() -> FlannelSettings.of(Map.of(variable, value)))
        .isInstanceOf(StartupException.class)
        .hasMessageContaining(variable.startsWith("FLANNELD_ETCD_E") ? "FLANNELD_ETCD_" : variable);
  }

  @ParameterizedTest
  @CsvSource({
    "flannel.alpha.coreos.com, flannel.alpha.coreos.com/",
    "flannel.alpha.coreos.com/, flannel.alpha.coreos.com/",
    "flannel.alpha.coreos.com/prefix, flannel.alpha.coreos.com/prefix-",
    "flannel.alpha.coreos.com/prefix-, flannel.alpha.coreos.com/prefix-",
    "org.com, org.com/",
    "org9.com, org9.com/",
  })
  void thePrefixOfAnnotationsIsCompleted(String configured, String expected) {
    assertThat(AnnotationNames.of(configured).prefix()).isEqualTo(expected);
  }

  @ParameterizedTest
  @ValueSource(strings = {"org", "org/", "Org.com", "org.com//", "org.com/a/b", "org.com/A", ""})
  void otherPrefixesAreRefused(String configured) {
    assertThatThrownBy(() -> AnnotationNames.of(configured))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
