package io.ocicat.netlink.tc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Classes of an htb, checked with tc. */
@Hosts
class ClassesTest extends TcFixture {
  private static final Handle ONE = Handle.ofQdisc(1);
  private static final Handle SHAPED = ONE.minor(0x30);
  private static final HtbClass SLOW =
      HtbClass.of(Rate.ofBits(8_000_000), Rate.ofBits(16_000_000))
          .burst(15_000)
          .ceilingBurst(20_000)
          .priority(3);

  @BeforeEach
  void addHtb(Host host) {
    net.perform(Qdiscs.add(veth, Handle.ROOT, ONE, Htb.withDefault(0x30)));
  }

  @Test
  void tcShowsTheClassAsItWasAskedFor(Host host) {
    net.perform(Classes.add(veth, ONE, SHAPED, SLOW));

    assertThat(host.exec("tc", "class", "show", "dev", "eth0").stdout().strip())
        .isEqualTo("class htb 1:30 root prio 3 rate 8Mbit ceil 16Mbit burst 15000b cburst 20000b");
  }

  @Test
  void aClassIsReadBackAsItWasWritten() {
    net.perform(Classes.add(veth, ONE, SHAPED, SLOW.quantum(9000)));

    TrafficClass read = net.find(Classes.at(veth, SHAPED)).orElseThrow();

    assertThat(read.options()).isEqualTo(SLOW.quantum(9000));
    assertThat(read.id()).isEqualTo(SHAPED);
    assertThat(read.parent()).isEqualTo(Handle.ROOT);
    assertThat(read.link()).isEqualTo(veth);
    assertThat(net.list(Classes.of(veth))).hasSize(1);
  }

  @Test
  void ratesOfMoreThan32BitsFit(Host host) {
    Rate fast = Rate.ofBytes(100_000_000_000L);
    net.perform(Classes.add(veth, ONE, ONE.minor(1), HtbClass.of(fast).quantum(200_000)));

    assertThat(host.exec("tc", "class", "show", "dev", "eth0").stdout())
        .contains("rate 800Gbit ceil 800Gbit");
    HtbClass read = (HtbClass) net.find(Classes.at(veth, ONE.minor(1))).orElseThrow().options();
    assertThat(read.rate()).isEqualTo(fast);
    assertThat(read.ceiling()).isEqualTo(fast);
  }

  @Test
  void classesHaveClassesBelowThem(Host host) {
    net.perform(
        Classes.add(veth, ONE, ONE.minor(1), HtbClass.of(Rate.ofBits(80_000_000))),
        Classes.add(veth, ONE.minor(1), SHAPED, SLOW));

    assertThat(net.find(Classes.at(veth, SHAPED)).orElseThrow().parent()).hasToString("1:1");
    assertThat(host.exec("tc", "class", "show", "dev", "eth0").stdout())
        .contains("class htb 1:1 root rate 80Mbit", "class htb 1:30 parent 1:1 prio 3");
    assertThatThrownBy(() -> net.perform(Classes.delete(veth, ONE.minor(1))))
        .hasMessageStartingWith("delete class 1:1 dev %d: ".formatted(veth))
        .hasMessageContaining("EBUSY");
  }

  @Test
  void aClassIsReplacedAndRemoved(Host host) {
    net.perform(
        Classes.replace(veth, ONE, SHAPED, SLOW),
        Classes.replace(veth, ONE, SHAPED, HtbClass.of(Rate.ofBits(32_000_000))));
    assertThat(host.exec("tc", "class", "show", "dev", "eth0").stdout())
        .contains("rate 32Mbit ceil 32Mbit burst 1600b cburst 1600b");

    net.perform(Classes.delete(veth, SHAPED));

    assertThat(host.exec("tc", "class", "show", "dev", "eth0").stdout()).isEmpty();
    assertThat(net.find(Classes.at(veth, SHAPED))).isEmpty();
  }

  @Test
  void trafficGoesThroughTheDefaultClass(Host host) {
    net.perform(Classes.add(veth, ONE, SHAPED, SLOW));
    host.exec("ip", "address", "add", "10.9.0.1/24", "dev", "eth0");
    host.tryExec("ping", "-c1", "-W1", "10.9.0.2");

    assertThat(net.find(Classes.at(veth, SHAPED)).orElseThrow().counters().packets()).isPositive();
  }

  @Test
  void classesOfOtherQdiscsAreListedByKind(Host host) {
    host.exec("tc qdisc add dev ifb7 root handle 7: tbf rate 1mbit burst 10k limit 20k".split(" "));

    assertThat(net.list(Classes.of(ifb)))
        .extracting(TrafficClass::options)
        .containsExactly(new ClassOptions.Other("tbf"));
  }

  @Test
  void failuresNameTheClassAndTheReason() {
    net.perform(Classes.add(veth, ONE, SHAPED, SLOW));

    assertThatThrownBy(() -> net.perform(Classes.add(veth, ONE, SHAPED, SLOW)))
        .hasMessageStartingWith(
            "add class 1:30 dev %d parent 1: htb rate 8Mbit ceil 16Mbit burst 15000b cburst 20000b prio 3: File exists (EEXIST)"
                .formatted(veth));
    assertThatThrownBy(
            () -> net.perform(Classes.add(veth, Handle.ofQdisc(9), Handle.of(9, 1), SLOW)))
        .hasMessageContaining("ENOENT");
    assertThatThrownBy(() -> net.perform(Classes.delete(999, SHAPED)))
        .hasMessageContaining("No such device (ENODEV)");
  }

  @Test
  void badSettingsAreRefusedBeforeTheKernelSeesThem() {
    Rate eight = Rate.ofBits(8_000_000);

    assertThatThrownBy(() -> HtbClass.of(eight, Rate.ofBits(4_000_000)))
        .hasMessage("an htb class's ceiling of 4Mbit is below its rate of 8Mbit");
    assertThatThrownBy(() -> HtbClass.of(eight).priority(8))
        .hasMessage("an htb class's priority must be 0 to 7, not 8");
    assertThatThrownBy(() -> HtbClass.of(eight).quantum(-1))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> HtbClass.of(Rate.ofBytes(1)).burst(1600))
        .hasMessageStartingWith("a burst at 8bit must be 1 to 274 bytes, not 1600");
    assertThat(HtbClass.of(Rate.ofBytes(1)).burst()).isEqualTo(274);
  }
}
