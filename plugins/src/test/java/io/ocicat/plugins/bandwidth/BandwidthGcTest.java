package io.ocicat.plugins.bandwidth;

import static io.ocicat.plugins.bandwidth.Shaped.BOTH;
import static io.ocicat.plugins.bandwidth.Shaped.EGRESS;
import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.cni.Attachment;
import io.ocicat.plugins.Attaching;
import io.ocicat.plugins.Side;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

@Hosts
class BandwidthGcTest {

  @Test
  void ifbsOfGoneAttachmentsAreCollected(Host host, Host pod, Host other) {
    Shaped kept = Shaped.wired(host, pod);
    Shaped second = Shaped.wired(host, pod, "veth1", "eth1");
    Shaped stale = Shaped.wired(host, other, "veth2", "eth0");
    kept.with("1.1.0", BOTH).add().ok();
    second.with("1.1.0", BOTH).add().ok();
    stale.with("1.1.0", BOTH).add().ok();

    gc(kept, attachment(pod, "eth0")).gc().ok();

    assertThat(kept.ifbs()).containsExactly(Shaped.ifb(pod, "eth0").name());
    kept.with("1.1.0", BOTH).check().ok();
    assertThat(stale.filters()).as("a veth that outlived its attachment").isEmpty();
    assertThat(stale.qdisc("veth2", "ingress").isMissingNode()).isTrue();

    gc(kept).gc().ok();
    assertThat(kept.ifbs()).isEmpty();
  }

  @Test
  void withoutAListNothingIsCollected(Host host, Host pod) {
    Shaped shaped = Shaped.wired(host, pod);
    shaped.with("1.1.0", BOTH).add().ok();

    shaped.bare("1.1.0", "").gc().ok();

    shaped.with("1.1.0", BOTH).check().ok();
  }

  @Test
  void otherNetworksAreLeftAlone(Host host, Host pod) {
    Shaped shaped = Shaped.wired(host, pod);
    Attaching eth0 = shaped.with("1.1.0", BOTH);
    Attaching elsewhere =
        eth0.withConfig(eth0.config().replace(Shaped.NETWORK, Shaped.NETWORK + "2"));
    elsewhere.add().ok();

    gc(shaped).gc().ok();

    elsewhere.check().ok();
  }

  @Test
  void gosIfbsAreCollectedWhenNothingGoesThere(Host host, Host pod, Host other, Host third) {
    Shaped used = Shaped.wired(host, pod);
    Shaped valid = Shaped.wired(host, other, "veth1", "eth0");
    Shaped stale = Shaped.wired(host, third, "veth2", "eth0");
    used.with("1.0.0", EGRESS).by(Side.GO).add().ok();
    valid.with("1.0.0", EGRESS).by(Side.GO).add().ok();
    stale.with("1.0.0", EGRESS).by(Side.GO).add().ok();
    host.exec("tc", "qdisc", "del", "dev", "veth1", "ingress");
    host.exec("ip", "link", "del", "veth2");
    host.exec("ip", "link", "add", "ifb7", "type", "ifb");

    gc(used, attachment(other, "eth0")).gc().ok();

    assertThat(used.ifbs())
        .containsExactlyInAnyOrder(
            Shaped.ifb(pod, "eth0").name(), Shaped.ifb(other, "eth0").name(), "ifb7");
  }

  private static Attaching gc(Shaped shaped, Attachment... valid) {
    String list =
        Arrays.stream(valid).map(a -> a.toJson().toString()).collect(Collectors.joining(","));
    return shaped.bare("1.1.0", "'cni.dev/valid-attachments':[%s]".formatted(list));
  }

  private static Attachment attachment(Host pod, String ifName) {
    return new Attachment(pod.name(), ifName);
  }
}
