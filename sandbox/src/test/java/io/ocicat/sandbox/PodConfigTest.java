package io.ocicat.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.cni.PortMapping.Protocol;
import io.ocicat.sandbox.SandboxException.Reason;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PodConfigTest {
  private static final PodMetadata WEB = new PodMetadata("web", "shop", "u-1", 0);

  @Test
  void everythingThatIsWrongIsSaidAtOnce() {
    PodConfig config =
        PodConfig.of(new PodMetadata("", "Sh/op", "a;b", 0))
            .hostname("-x")
            .logDirectory("var/log")
            .ports(List.of(new PodPort(Protocol.TCP, 0, 70000, "10.0.0.300")))
            .annotations(Map.of(PodBandwidth.INGRESS, "fast"))
            .sysctls(Map.of("vm.swappiness", "1"))
            .dns(new DnsConfig(List.of("10.0.0.1\nsearch evil"), List.of(), List.of()))
            .build();
    assertThatThrownBy(config::check)
        .isInstanceOfSatisfying(
            SandboxException.class, e -> assertThat(e.reason()).isEqualTo(Reason.INVALID))
        .hasMessageContainingAll(
            "metadata.name is missing",
            "metadata.namespace \"Sh/op\"",
            "metadata.uid \"a;b\"",
            "hostname \"-x\"",
            "\"var/log\" is not an absolute path",
            "port 0 of the container",
            "port 70000 of the host",
            "\"10.0.0.300\"",
            PodBandwidth.INGRESS,
            "vm.swappiness is the host's",
            "is not a word");
  }

  /** Review U24. */
  @Test
  void anInvalidNameIsReportedWithTheRule() {
    PodMetadata uncommon = new PodMetadata("Über_Pod", "shop", "u", 0);
    PodConfig.of(uncommon).build().check();
    assertThatThrownBy(uncommon::checkKubernetesNames)
        .hasMessageContaining(
            "metadata.name \"Über_Pod\" is not a valid name: use lower-case letters, digits, - and ., at most 253 of them");
  }

  @Test
  void separatorsAreNoNames() {
    for (String name : List.of("a/b", "a\0", "a;b", "x".repeat(254))) {
      assertThatThrownBy(PodConfig.of(new PodMetadata(name, "shop", "u", 0)).build()::check)
          .as(name)
          .hasMessageContaining("metadata.name");
      assertThatThrownBy(PodConfig.of(new PodMetadata("web", name, "u", 0)).build()::check)
          .as(name)
          .hasMessageContaining("metadata.namespace");
      assertThatThrownBy(PodConfig.of(new PodMetadata("web", "shop", name, 0)).build()::check)
          .as(name)
          .hasMessageContaining("metadata.uid");
    }
  }

  @Test
  void sysctlsAreThePodsOwn() {
    Map<String, String> safe =
        Map.of("net.ipv4.ip_unprivileged_port_start", "0", "kernel.shm_rmid_forced", "1");
    assertThatCode(PodConfig.of(WEB).sysctls(safe).build()::check).doesNotThrowAnyException();
    assertThatThrownBy(PodConfig.of(WEB).sysctls(safe).network(NamespaceMode.NODE).build()::check)
        .hasMessageContaining("net.ipv4.ip_unprivileged_port_start is the host's");
    assertThatThrownBy(PodConfig.of(WEB).sysctls(safe).ipc(NamespaceMode.NODE).build()::check)
        .hasMessageContaining("kernel.shm_rmid_forced is the host's");
    assertThat(new PodSysctls(Map.of("net/ipv4/conf/eth0.1/rp_filter", "0")).settings())
        .containsOnlyKeys("net.ipv4.conf.eth0/1.rp_filter");
  }

  @Test
  void aPodOfTheHostsNetworkHasNoOther() {
    assertThatThrownBy(
            PodConfig.of(WEB).network(NamespaceMode.NODE).networkName("blue").build()::check)
        .hasMessageContaining("\"blue\"");
  }

  @Test
  void resolvConfHasItsSectionsInOrder() {
    assertThat(
            new DnsConfig(
                    List.of("10.96.0.10", "fd00::10"),
                    List.of("shop.svc.cluster.local", "cluster.local"),
                    List.of("ndots:5"))
                .resolvConf())
        .isEqualTo(
            "nameserver 10.96.0.10\nnameserver fd00::10\nsearch shop.svc.cluster.local cluster.local\noptions ndots:5\n");
    assertThat(new DnsConfig(List.of(), List.of("a"), List.of()).resolvConf())
        .isEqualTo("search a\n");
  }
}
