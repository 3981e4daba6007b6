package io.ocicat.netlink.conntrack;

import static io.ocicat.netlink.conntrack.IpProtocol.UDP;
import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.ip.IpAddress;
import io.ocicat.netlink.IpFamily;
import io.ocicat.netlink.NetlinkSocket;
import io.ocicat.netlink.Protocol;
import io.ocicat.netlink.ns.NetNs;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import io.ocicat.testkit.Udp;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The reason for deleting connections: a host port moves from an old pod to a new one, and a client
 * that keeps sending from one port must not reach the old pod for ever.
 */
@Hosts
class StaleTranslationTest {
  private static final int HOST_PORT = 5353;
  private static final int OTHER_PORT = 5454;
  private static final int POD_PORT = 6000;

  private NetNs namespace;
  private NetlinkSocket net;

  @BeforeEach
  void open(Host host) {
    namespace = NetNs.open(host.path());
    net = NetlinkSocket.open(Protocol.NETFILTER, namespace);
  }

  @AfterEach
  void close() {
    net.close();
    namespace.close();
  }

  @ParameterizedTest
  @EnumSource(Site.class)
  void purgingAHostPortLetsTheNextPacketFollowTheNewRule(Site site, Host host) {
    site.prepare(host);
    try (Udp client = Udp.bind(namespace::visit, site.node, 0);
        Udp other = Udp.bind(namespace::visit, site.node, 0);
        Udp oldPod = Udp.bind(namespace::visit, site.oldPod, POD_PORT);
        Udp newPod = Udp.bind(namespace::visit, site.newPod, POD_PORT)) {
      site.forward(host, site.oldPod);
      client.send("one", site.node, HOST_PORT);
      assertThat(oldPod.echo()).isEqualTo("one");
      other.send("other", site.node, OTHER_PORT);
      assertThat(oldPod.echo()).isEqualTo("other");

      site.forward(host, site.newPod);
      client.send("two", site.node, HOST_PORT);
      assertThat(oldPod.echo()).isEqualTo("two");

      assertThat(Conntrack.purge(net, site.toHostPort())).isEqualTo(1);
      client.send("three", site.node, HOST_PORT);
      assertThat(newPod.echo()).isEqualTo("three");
      assertThat(site.shown(host)).hasSize(2);
    }
  }

  @ParameterizedTest
  @EnumSource(Site.class)
  void aConnectionTellsWhereItWasTranslatedTo(Site site, Host host) {
    site.prepare(host);
    site.forward(host, site.oldPod);
    try (Udp client = Udp.bind(namespace::visit, site.node, 0);
        Udp oldPod = Udp.bind(namespace::visit, site.oldPod, POD_PORT)) {
      client.send("one", site.node, HOST_PORT);
      assertThat(oldPod.echo()).isEqualTo("one");

      ConntrackEntry found = net.list(Conntrack.list(site.toHostPort())).getFirst();

      IpAddress node = IpAddress.parse(site.node);
      IpAddress pod = IpAddress.parse(site.oldPod);
      assertThat(found.original())
          .isEqualTo(Tuple.of(node, node, new Transport.Ports(UDP, client.port(), HOST_PORT)));
      assertThat(found.reply())
          .isEqualTo(Tuple.of(pod, node, new Transport.Ports(UDP, POD_PORT, client.port())));
      assertThat(site.shown(host))
          .singleElement()
          .asString()
          .contains(
              "src=%s dst=%s sport=%d dport=%d src=%s dst=%s sport=%d dport=%d"
                  .formatted(
                      site.node,
                      site.node,
                      client.port(),
                      HOST_PORT,
                      site.oldPod,
                      site.node,
                      POD_PORT,
                      client.port()));
    }
  }

  @ParameterizedTest
  @EnumSource(Site.class)
  void whatGoesToAPodCanBePurgedWhateverPortItCameBy(Site site, Host host) {
    site.prepare(host);
    site.forward(host, site.oldPod);
    try (Udp client = Udp.bind(namespace::visit, site.node, 0);
        Udp oldPod = Udp.bind(namespace::visit, site.oldPod, POD_PORT);
        Udp newPod = Udp.bind(namespace::visit, site.newPod, POD_PORT)) {
      client.send("one", site.node, HOST_PORT);
      oldPod.echo();
      client.send("two", site.node, OTHER_PORT);
      oldPod.echo();
      client.send("direct", site.newPod, POD_PORT);
      newPod.echo();
      ConntrackFilter toOldPod =
          ConntrackFilter.of(site.family).replySource(IpAddress.parse(site.oldPod));

      assertThat(Conntrack.purge(net, toOldPod.originalDestination(IpAddress.parse(site.newPod))))
          .isZero();
      assertThat(Conntrack.purge(net, toOldPod)).isEqualTo(2);
      assertThat(site.shown(host)).singleElement().asString().contains("dst=" + site.newPod);
    }
  }

  @ParameterizedTest
  @EnumSource(Site.class)
  void oneDirectionMayBeInAZoneOfItsOwn(Site site, Host host) {
    site.prepare(host);
    host.command("nft", "-f", "-")
        .stdin(
            """
            table inet zones {
              chain output {
                type filter hook output priority raw;
                udp dport %d ct original zone set 9
              }
            }
            """
                .formatted(POD_PORT))
        .run();
    try (Udp client = Udp.bind(namespace::visit, site.node, 0);
        Udp pod = Udp.bind(namespace::visit, site.newPod, POD_PORT)) {
      client.send("one", site.newPod, POD_PORT);
      pod.echo();

      ConntrackFilter inZone = ConntrackFilter.of(site.family).zone(9);
      ConntrackEntry found = net.list(Conntrack.list(inZone)).getFirst();
      assertThat(found.original().zone()).isEqualTo(9);
      assertThat(found.reply().zone()).isZero();
      assertThat(net.list(Conntrack.list(ConntrackFilter.of(site.family).zone(0)))).hasSize(1);
      net.perform(Conntrack.delete(found));
      assertThat(site.shown(host)).isEmpty();
    }
  }

  /** A node and two pods of one family, all of them addresses of the loopback. */
  enum Site {
    V4(IpFamily.V4, "10.0.0.1", "10.0.0.2", "10.0.0.3"),
    V6(IpFamily.V6, "fd00::1", "fd00::2", "fd00::3");

    private final IpFamily family;
    private final String node;
    private final String oldPod;
    private final String newPod;

    Site(IpFamily family, String node, String oldPod, String newPod) {
      this.family = family;
      this.node = node;
      this.oldPod = oldPod;
      this.newPod = newPod;
    }

    void prepare(Host host) {
      for (String address : List.of(node, oldPod, newPod)) {
        host.exec("ip", "address", "add", address, "dev", "lo");
      }
      host.command("nft", "-f", "-")
          .stdin(
              """
              table inet track {
                chain input {
                  type filter hook input priority filter;
                  ct state new accept
                }
              }
              """)
          .run();
    }

    /** Translates both host ports to a pod, from now on. */
    void forward(Host host, String pod) {
      host.command("nft", "-f", "-")
          .stdin(
              """
              table inet ports
              delete table inet ports
              table inet ports {
                chain output {
                  type nat hook output priority -100;
                  %s daddr %s udp dport { %d, %d } dnat %s to %s
                }
              }
              """
                  .formatted(
                      family == IpFamily.V4 ? "ip" : "ip6",
                      node,
                      HOST_PORT,
                      OTHER_PORT,
                      family == IpFamily.V4 ? "ip" : "ip6",
                      family == IpFamily.V4 ? pod + ":" + POD_PORT : "[" + pod + "]:" + POD_PORT))
          .run();
    }

    ConntrackFilter toHostPort() {
      return ConntrackFilter.of(family)
          .protocol(UDP)
          .originalDestination(IpAddress.parse(node))
          .originalDestinationPort(HOST_PORT);
    }

    List<String> shown(Host host) {
      String name = family == IpFamily.V4 ? "ipv4" : "ipv6";
      return host.exec("conntrack", "-L", "-f", name, "-p", "udp").stdout().lines().toList();
    }
  }
}
