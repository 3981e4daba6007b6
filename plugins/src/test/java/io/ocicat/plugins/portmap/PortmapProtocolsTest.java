package io.ocicat.plugins.portmap;

import static io.ocicat.plugins.portmap.Site.CLIENT;
import static io.ocicat.plugins.portmap.Site.GATEWAY;
import static io.ocicat.plugins.portmap.Site.NODE;
import static io.ocicat.plugins.portmap.Site.NODE6;
import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.plugins.Attaching;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import io.ocicat.testkit.Udp;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** UDP and SCTP, and UDP clients from before the port changed hands. */
@Hosts
class PortmapProtocolsTest {
  private Site site;

  @BeforeEach
  void build(Host node, Host pod, Host neighbour, Host client) {
    site = Site.build(node, pod, neighbour, client);
    site.track();
  }

  @ParameterizedTest
  @ValueSource(strings = {NODE, NODE6})
  void aUdpPortLeadsToThePod(String node, Host pod, Host client) {
    boolean v4 = node.equals(NODE);
    site.portmap(site.web(), "", "5353:53/udp").add().ok();

    try (Udp server = Site.udp(pod, v4 ? site.web().v4() : site.web().v6(), 53);
        Udp asking = Site.udp(client, v4 ? CLIENT : "fd02::2", 0)) {
      asking.send("who?", node, 5353);
      assertThat(server.echo()).isEqualTo("who?");
      assertThat(asking.receive()).isEqualTo("who?");
    }
  }

  @Test
  void aTcpPortIsNoUdpPort(Host pod, Host client) {
    site.portmap(site.web(), "", "5353:53/tcp").add().ok();

    try (Udp server = Site.udp(pod, site.web().v4(), 53);
        Udp asking = Site.udp(client, CLIENT, 0)) {
      asking.send("who?", NODE, 5353);
      assertThat(server.isSilent()).isTrue();
    }
  }

  /** A client that always sends from the same port, as resolvers and syslog do. */
  @ParameterizedTest
  @ValueSource(strings = {NODE, NODE6})
  void aUdpPortChangesHandsForOldClientsToo(String node, Host pod, Host neighbour, Host client) {
    boolean v4 = node.equals(NODE);
    Attaching first = site.portmap(site.web(), "", "5353:53/udp");
    Attaching second = site.portmap(site.db(), "", "5353:53/udp");
    try (Udp old = Site.udp(pod, v4 ? site.web().v4() : site.web().v6(), 53);
        Udp young = Site.udp(neighbour, v4 ? site.db().v4() : site.db().v6(), 53);
        Udp asking = Site.udp(client, v4 ? CLIENT : "fd02::2", 0)) {
      asking.send("before there is a mapping", node, 5353);
      first.add().ok();
      asking.send("first", node, 5353);
      assertThat(old.echo()).isEqualTo("first");
      assertThat(asking.receive()).isEqualTo("first");

      first.del().ok();
      asking.send("nobody", node, 5353);
      assertThat(old.isSilent()).as("DEL forgets the client").isTrue();

      second.add().ok();
      asking.send("second", node, 5353);
      assertThat(young.echo()).isEqualTo("second");
      assertThat(asking.receive()).isEqualTo("second");
    }
  }

  @Test
  void clientsOfOtherAddressesAndPortsAreNotForgotten(Host node, Host client) {
    try (Udp asking = Site.udp(client, CLIENT, 4711)) {
      for (String address : List.of(NODE, GATEWAY)) {
        asking.send("hello", address, 5353);
        asking.send("hello", address, 5354);
      }
      site.portmap(site.web(), "", NODE + "/5353:53/udp").add().ok();

      assertThat(flows(node))
          .containsExactlyInAnyOrder(
              "dst=10.2.0.1 sport=4711 dport=5354",
              "dst=10.1.0.1 sport=4711 dport=5353",
              "dst=10.1.0.1 sport=4711 dport=5354");
    }
  }

  @Test
  void delForgetsOnlyClientsOfThatPod(Host node, Host pod, Host client) {
    Attaching portmap = site.portmap(site.web(), "", "5353:53/udp", "5354:54/udp", "5353:53/tcp");
    portmap.add().ok();
    try (Udp server = Site.udp(pod, site.web().v4(), 53);
        Udp other = Site.udp(pod, site.web().v4(), 9999);
        Udp asking = Site.udp(client, CLIENT, 4711)) {
      asking.send("mapped", NODE, 5353);
      assertThat(server.receive()).isEqualTo("mapped");
      asking.send("directly", site.web().v4(), 9999);
      assertThat(other.receive()).isEqualTo("directly");
      asking.send("to another machine by the same port", "10.1.0.77", 5353);

      portmap.del().ok();

      assertThat(flows(node))
          .contains("dst=10.1.0.2 sport=4711 dport=9999")
          .doesNotContain("dst=10.2.0.1 sport=4711 dport=5353");
    }
  }

  @Test
  void anSctpPortLeadsToThePod(Host pod, Host client) {
    site.portmap(site.web(), "", "9100:80/sctp").add().ok();

    try (RawSctp server = RawSctp.open(pod);
        RawSctp asking = RawSctp.open(client)) {
      asking.init(NODE, 7000, 9100);
      assertThat(server.receive()).isEqualTo(CLIENT + ":7000 > 80");
    }
  }

  /** Sixteen and more are what iptables' multiport cannot hold in one rule. */
  @Test
  void manyPortsAtOnce(Host pod, Host client) {
    String[] mappings = new String[40];
    for (int i = 0; i < mappings.length; i++) {
      mappings[i] = "%d:%d/udp".formatted(6000 + i, 7000 + i);
    }
    Attaching portmap = site.portmap(site.web(), "", mappings);
    portmap.add().ok();
    portmap.check().ok();

    try (Udp first = Site.udp(pod, site.web().v4(), 7000);
        Udp last = Site.udp(pod, site.web().v4(), 7039);
        Udp asking = Site.udp(client, CLIENT, 0)) {
      asking.send("a", NODE, 6000);
      asking.send("b", NODE, 6039);
      assertThat(first.receive()).isEqualTo("a");
      assertThat(last.receive()).isEqualTo("b");
    }
    portmap.del().ok();
    assertThat(site.elements()).isEmpty();
  }

  /** The original direction of the client's tracked UDP connection. */
  private static List<String> flows(Host node) {
    return node.exec("conntrack", "-L", "-p", "udp", "--orig-src", CLIENT)
        .stdout()
        .lines()
        .map(line -> line.replaceAll(".*? (dst=\\S+ sport=\\S+ dport=\\S+) .*", "$1"))
        .toList();
  }
}
