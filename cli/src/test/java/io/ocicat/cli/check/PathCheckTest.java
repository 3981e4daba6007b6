package io.ocicat.cli.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.ip.IpAddress;
import io.ocicat.netlink.ns.NetNs;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a kernel needs to reach a pod of another node by VXLAN, each part taken away. */
@Hosts
class PathCheckTest {
  private static final String MAC = "66:00:00:00:00:02";

  private Host host;

  @BeforeEach
  void aNodeWithVxlan(Host one, Host two) {
    host = one;
    one.connect(two, "192.0.2.11/24", "192.0.2.12/24");
    one.exec("sysctl", "-qw", "net.ipv4.ip_forward=1");
    one.exec(
        "ip",
        "link",
        "add",
        "vxlan.calico",
        "mtu",
        "1450",
        "type",
        "vxlan",
        "id",
        "4096",
        "local",
        "192.0.2.11",
        "dstport",
        "4789",
        "nolearning");
    one.exec("ip", "link", "set", "vxlan.calico", "up");
    one.exec("ip", "neigh", "add", "10.65.1.0", "lladdr", MAC, "dev", "vxlan.calico");
    one.exec("bridge", "fdb", "add", MAC, "dev", "vxlan.calico", "dst", "192.0.2.12");
    one.exec(
        "ip", "route", "add", "10.65.1.0/26", "via", "10.65.1.0", "dev", "vxlan.calico", "onlink");
  }

  @Test
  void nothingIsWrongWhileAllIsThere() {
    assertThat(toPod()).isEmpty();
    assertThat(at(paths -> paths.toNode("node-2", IpAddress.parse("192.0.2.12")))).isEmpty();
  }

  @Test
  void eachPartThatIsMissingIsNamed() {
    host.exec("bridge", "fdb", "del", MAC, "dev", "vxlan.calico", "dst", "192.0.2.12");
    assertThat(toPod())
        .containsExactly(
            "fdb: the FDB entry of %s (node-2) on vxlan.calico: missing".formatted(MAC));
    host.exec("bridge", "fdb", "add", MAC, "dev", "vxlan.calico", "dst", "192.0.2.99");
    assertThat(toPod())
        .containsExactly(
            "fdb: the FDB entry of %s (node-2) on vxlan.calico: to 192.0.2.99, not to 192.0.2.12"
                .formatted(MAC));
    host.exec("bridge", "fdb", "replace", MAC, "dev", "vxlan.calico", "dst", "192.0.2.12");

    host.exec("ip", "neigh", "del", "10.65.1.0", "dev", "vxlan.calico");
    assertThat(toPod())
        .containsExactly(
            "neighbour: the neighbour entry of 10.65.1.0 (node-2) on vxlan.calico: missing");
    host.exec("ip", "neigh", "add", "10.65.1.0", "lladdr", MAC, "dev", "vxlan.calico");

    host.exec("ip", "link", "set", "vxlan.calico", "mtu", "1500");
    assertThat(toPod())
        .singleElement()
        .asString()
        .startsWith("mtu: MTU of vxlan.calico: 1500, which ");
    host.exec("ip", "link", "set", "vxlan.calico", "mtu", "1450");

    host.exec("sysctl", "-qw", "net.ipv4.ip_forward=0");
    assertThat(toPod()).singleElement().asString().startsWith("forwarding: net.ipv4.ip_forward: 0");
    host.exec("sysctl", "-qw", "net.ipv4.ip_forward=1");

    host.exec("ip", "route", "del", "10.65.1.0/26");
    assertThat(toPod())
        .containsExactly("remote-route: this host's route to 10.65.1.2, a pod on node-2: missing");
  }

  @Test
  void aNodeThatDoesNotAnswerIsNamed() {
    host.exec("ip", "neigh", "replace", "192.0.2.50", "dev", device(), "nud", "failed");
    assertThat(at(paths -> paths.toNode("node-5", IpAddress.parse("192.0.2.50"))))
        .containsExactly(
            "neighbour: 192.0.2.50 (node-5): does not answer on %s".formatted(device()));
    assertThat(at(paths -> paths.toNode("node-6", IpAddress.parse("203.0.113.1"))))
        .containsExactly("remote-route: this host's route to node-6 (203.0.113.1): missing");
  }

  private String device() {
    return host.json("ip", "-j", "route", "get", "192.0.2.12").at("/0/dev").asString();
  }

  private List<String> toPod() {
    return at(
        paths ->
            paths.toPods(
                "node-2", List.of(IpAddress.parse("192.0.2.12")), IpAddress.parse("10.65.1.2")));
  }

  private interface Question {
    List<Discrepancy> ask(PathCheck paths);
  }

  private List<String> at(Question question) {
    try (NetNs namespace = NetNs.open(host.path())) {
      return namespace.call(
          () -> {
            try (PathCheck paths = PathCheck.here()) {
              return question.ask(paths).stream()
                  .map(one -> one.kind().label() + ": " + one.sentence())
                  .toList();
            }
          });
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }
}
