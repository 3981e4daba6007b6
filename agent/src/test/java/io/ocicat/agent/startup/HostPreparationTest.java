package io.ocicat.agent.startup;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.agent.config.AgentConfig;
import io.ocicat.agent.config.ConfigSources;
import io.ocicat.agent.config.EffectiveConfig;
import io.ocicat.datastore.model.IpPool;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.netlink.ns.NetNs;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** MTUs and kernel settings. */
@Hosts
class HostPreparationTest {

  private static AgentConfig config(Map<String, String> environment) {
    return EffectiveConfig.of(
            new ConfigSources(environment, "", List.of(), "node-a", Map.of()), null)
        .config();
  }

  private static IpPool pool(String cidr, String member, String mode) {
    return IpPool.of(
        Resource.of(
            new ResourceKey.Named(Kind.IP_POOL, "", "pool"),
            spec -> spec.put("cidr", cidr).put(member, mode)));
  }

  private static void link(Host host, String name, int mtu) {
    host.exec("ip", "link", "add", name, "type", "veth", "peer", "name", "p-" + name);
    host.exec("ip", "link", "set", name, "mtu", String.valueOf(mtu), "up");
    host.exec("ip", "link", "set", "p-" + name, "up");
  }

  @Test
  void theMtuOfPodsFitsIntoEveryTunnelInUse() {
    AgentConfig automatic = config(Map.of());
    IpPool plain = pool("10.0.0.0/16", "vxlanMode", "Never");
    IpPool vxlan = pool("10.1.0.0/16", "vxlanMode", "CrossSubnet");
    IpPool vxlanV6 = pool("fd00:1::/64", "vxlanMode", "Always");
    IpPool ipip = pool("10.2.0.0/16", "ipipMode", "Always");

    assertThat(Mtus.of(1500, automatic, List.of(plain)).pods()).isEqualTo(1500);
    assertThat(Mtus.of(1500, automatic, List.of(plain, ipip)).pods()).isEqualTo(1480);
    assertThat(Mtus.of(1500, automatic, List.of(ipip, vxlan)).pods()).isEqualTo(1450);
    assertThat(Mtus.of(1500, automatic, List.of(vxlan, vxlanV6)))
        .isEqualTo(new Mtus(1500, 1480, 1450, 1430, 1430));
    assertThat(Mtus.of(1500, config(Map.of("FELIX_VXLANMTU", "8000")), List.of(vxlan)))
        .as("a configured one counts even above the host's")
        .isEqualTo(new Mtus(1500, 1480, 8000, 1430, 8000));
  }

  @Test
  void theMtuOfTheHostIsThatOfTheInterfaceWithTheNodesAddress(Host machine) {
    try (NetNs host = NetNs.open(machine.path())) {
      assertThat(Mtus.ofHost(host, config(Map.of()), Set.of())).isEqualTo(1460);
      link(machine, "wire0", 1400);
      assertThat(Mtus.ofHost(host, config(Map.of()), Set.of())).isEqualTo(1460);
      assertThat(Mtus.ofHost(host, config(Map.of()), Set.of("wire0"))).isEqualTo(1400);
      link(machine, "eth0", 9000);
      link(machine, "eth1", 1300);
      link(machine, "eth2", 1200);
      machine.exec("ip", "link", "set", "eth2", "down");
      assertThat(Mtus.ofHost(host, config(Map.of()), Set.of("wire0"))).isEqualTo(1300);
      assertThat(Mtus.ofHost(host, config(Map.of()), Set.of("eth0"))).isEqualTo(9000);
      AgentConfig only = config(Map.of("FELIX_MTUIFACEPATTERN", "^eth1$"));
      assertThat(Mtus.ofHost(host, only, Set.of("eth0"))).isEqualTo(1300);
    }
  }

  @Test
  void theFileIsReplacedWhenTheMtuChanges(@TempDir Path folder) throws Exception {
    NodeFiles files = new NodeFiles(folder.resolve("nodename"), folder.resolve("new/mtu"));

    assertThat(files.writeMtu(1450)).isTrue();
    assertThat(files.writeMtu(1450)).isFalse();
    assertThat(Files.readString(files.mtu())).isEqualTo("1450");
    assertThat(files.writeMtu(1400)).isTrue();
    assertThat(Files.readString(files.mtu())).isEqualTo("1400");
  }

  @Test
  void forwardingIsSwitchedOnUnlessThatIsConfiguredOtherwise(Host machine) {
    try (NetNs host = NetNs.open(machine.path())) {
      machine.exec("sysctl", "-qw", "net.ipv4.ip_forward=0", "net.ipv6.conf.all.forwarding=0");

      assertThat(KernelPreparation.ensure(host, config(Map.of("FELIX_IPFORWARDING", "Disabled"))))
          .isEmpty();
      assertThat(forwarding(machine)).isEqualTo("0 0");
      assertThat(KernelPreparation.ensure(host, config(Map.of("FELIX_IPV6SUPPORT", "false"))))
          .isEmpty();
      assertThat(forwarding(machine)).isEqualTo("1 0");
      assertThat(KernelPreparation.ensure(host, config(Map.of()))).isEmpty();
      assertThat(forwarding(machine)).isEqualTo("1 1");
      assertThat(KernelPreparation.ensure(host, config(Map.of()))).isEmpty();
    }
  }

  private static String forwarding(Host machine) {
    return machine
        .exec("sysctl", "-n", "net.ipv4.ip_forward", "net.ipv6.conf.all.forwarding")
        .stdout()
        .strip()
        .replace('\n', ' ');
  }
}
