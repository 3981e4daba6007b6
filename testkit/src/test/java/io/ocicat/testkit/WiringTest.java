package io.ocicat.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

@Hosts
class WiringTest {

  @Test
  void twoHostsReachEachOtherByWire(Host a, Host b) {
    VethLink first = a.connect(b, "10.0.0.1/24", "10.0.0.2/24");
    VethLink second = a.connect(b, "fd00::1/64", "fd00::2/64");

    a.exec("ping", "-c1", "-W5", "10.0.0.2");
    b.exec("ping", "-c1", "-W5", "fd00::1");
    assertThat(first).isEqualTo(new VethLink("wire0", "wire0"));
    assertThat(second).isEqualTo(new VethLink("wire1", "wire1"));
  }

  @Test
  void hostsOnOneLanReachEachOther(Lan lan, Host a, Host b, Host c) {
    lan.plug(a, "10.0.0.1/24", "fd00::1/64");
    lan.plug(b, "10.0.0.2/24", "fd00::2/64");
    lan.plug(c, "10.0.0.3/24", "fd00::3/64");

    a.exec("ping", "-c1", "-W5", "10.0.0.2");
    b.exec("ping", "-c1", "-W5", "10.0.0.3");
    c.exec("ping", "-c1", "-W5", "fd00::1");
  }

  @Test
  void lansAreApart(Lan one, Lan two, Host a, Host b) {
    one.plug(a, "10.0.0.1/24");
    two.plug(b, "10.0.0.2/24");

    assertThat(a.tryExec("ping", "-c1", "-W1", "10.0.0.2").succeeded()).isFalse();
  }
}
