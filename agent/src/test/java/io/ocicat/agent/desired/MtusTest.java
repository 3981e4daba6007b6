package io.ocicat.agent.desired;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.agent.config.AgentConfig;
import io.ocicat.agent.config.ConfigSources;
import io.ocicat.agent.config.EffectiveConfig;
import io.ocicat.datastore.model.IpPool;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class MtusTest {

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
}
