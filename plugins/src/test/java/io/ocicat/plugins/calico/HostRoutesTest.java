package io.ocicat.plugins.calico;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.ocicat.cni.CniException;
import io.ocicat.ip.IpAddress;
import io.ocicat.netlink.route.Device;
import io.ocicat.plugins.net.NetnsSockets;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Existing host routes: our own, others', and harmless ones. */
@Hosts
class HostRoutesTest {
  private static final IpAddress V4 = IpAddress.parse("10.65.0.5");
  private static final IpAddress V6 = IpAddress.parse("fd00:65::5");

  @SuppressWarnings("NullAway.Init") // by twoVeths
  private NetnsSockets net;

  @SuppressWarnings("NullAway.Init") // by twoVeths
  private HostRoutes both;

  @BeforeEach
  void twoVeths(Host host) {
    for (String veth : List.of("cali0", "other0")) {
      host.exec("ip", "link", "add", veth, "type", "veth", "peer", "name", veth + "p");
      host.exec("ip", "link", "set", veth, "up");
      host.exec("ip", "link", "set", veth + "p", "up");
    }
    net = NetnsSockets.of(host.path());
    both = new HostRoutes(net, Device.of(net.link("cali0").orElseThrow()), List.of(V4, V6));
  }

  @AfterEach
  void close() {
    net.close();
  }

  private static void assertBothLeadThere(Host host) {
    assertThat(host.exec("ip", "route").stdout()).contains("10.65.0.5 dev cali0 scope link");
    assertThat(host.exec("ip", "-6", "route").stdout()).contains("fd00:65::5 dev cali0");
  }

  @Test
  void thoseThatAreThereAlreadyAreFine(Host host) {
    both.install(List.of());

    both.install(List.of());

    assertBothLeadThere(host);
  }

  @ParameterizedTest
  @ValueSource(strings = {"10.65.0.5/32", "fd00:65::5/128"})
  void oneThatIsThereDoesNotKeepTheOtherAway(String present, Host host) {
    if (present.contains(":")) {
      host.exec("ip", "-6", "route", "add", present, "dev", "cali0");
    } else {
      host.exec("ip", "route", "add", present, "dev", "cali0", "scope", "link");
    }

    both.install(List.of());

    assertBothLeadThere(host);
  }

  @ParameterizedTest
  @CsvSource({
    "10.65.0.5/32, dev other0, Iface: other0",
    "10.65.0.5/32, via 10.65.0.5 dev other0 onlink, Iface: other0",
    "fd00:65::5/128, dev other0, Iface: other0",
    "10.65.0.5/32, type blackhole, Type: blackhole",
  })
  void oneThatLeadsElsewhereIsAConflict(String prefix, String way, String told, Host host) {
    boolean hole = way.startsWith("type ");
    host.exec(
        "sh",
        "-ec",
        "ip %s route add %s %s %s"
            .formatted(
                prefix.contains(":") ? "-6" : "-4",
                hole ? way.substring(5) : "",
                prefix,
                hole ? "" : way));

    CniException conflict = catchThrowableOfType(CniException.class, () -> both.install(List.of()));

    assertThat(conflict.msg())
        .startsWith("error adding host side routes for interface: cali0, error: route (Ifindex: ")
        .contains(
            "Dst: " + prefix, "already exists for an interface other than 'cali0': route (", told);
    assertThat(conflict.details()).contains("ip route show", "ocicat ipam check");
  }

  @Test
  void oneThatCountsLessDoesNoHarm(Host host) {
    host.exec("ip", "route", "add", "10.65.0.5/32", "dev", "other0", "metric", "100");

    both.install(List.of());

    assertBothLeadThere(host);
    assertThat(host.exec("ip", "route", "get", "10.65.0.5").stdout()).contains("dev cali0");
  }
}
