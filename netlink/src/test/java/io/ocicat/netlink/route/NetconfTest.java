package io.ocicat.netlink.route;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.netlink.IpFamily;
import io.ocicat.netlink.Monitor;
import io.ocicat.netlink.link.Fdb;
import io.ocicat.netlink.link.FdbEntry;
import io.ocicat.netlink.nft.Generation;
import io.ocicat.netlink.ns.NetNs;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Announcements that an agent repairs by: sysctls, forwarding entries, nf_tables transactions. */
@Hosts
class NetconfTest {
  private static final Duration LONG = Duration.ofSeconds(10);

  @Test
  void aChangedSysctlIsAnnounced(Host host) {
    host.exec("ip", "link", "add", "v0", "type", "veth", "peer", "name", "v1");
    try (NetNs ns = NetNs.open(host.path());
        Monitor<Netconf> monitor = Monitor.open(ns, Netconf.CHANGES)) {
      int index = index(host, "v0");
      host.exec("sysctl", "-qw", "net.ipv4.conf.v0.proxy_arp=1");
      assertThat(monitor.poll(LONG))
          .contains(new Monitor.Changed<>(new Netconf(IpFamily.V4, index)));
      host.exec("sysctl", "-qw", "net.ipv6.conf.v0.forwarding=1");
      assertThat(monitor.poll(LONG))
          .contains(new Monitor.Changed<>(new Netconf(IpFamily.V6, index)));
    }
  }

  @Test
  void anEntryOfAVxlanIsAnnounced(Host host) {
    host.exec(
        "ip", "link", "add", "vx0", "type", "vxlan", "id", "7", "dstport", "4789", "nolearning");
    try (NetNs ns = NetNs.open(host.path());
        Monitor<FdbEntry> monitor = Monitor.open(ns, Fdb.CHANGES)) {
      host.exec(
          "bridge", "fdb", "add", "66:00:00:00:00:01", "dev", "vx0", "dst", "10.0.0.9", "self");
      assertThat(monitor.poll(LONG).orElseThrow())
          .isInstanceOfSatisfying(
              Monitor.Changed.class,
              changed -> assertThat(changed.object()).hasToString(entry(host)));
      host.exec(
          "bridge", "fdb", "del", "66:00:00:00:00:01", "dev", "vx0", "dst", "10.0.0.9", "self");
      assertThat(monitor.poll(LONG).orElseThrow()).isInstanceOf(Monitor.Removed.class);
    }
  }

  private static int index(Host host, String link) {
    return host.json("ip", "-j", "link", "show", link).path(0).path("ifindex").asInt();
  }

  private static String entry(Host host) {
    return "66:00:00:00:00:01 dev " + index(host, "vx0") + " dst 10.0.0.9 self permanent";
  }

  @Test
  void aTransactionIsAnnouncedWithItsProcess(Host host) {
    try (NetNs ns = NetNs.open(host.path());
        Monitor<Generation> monitor = Monitor.open(ns, Generation.CHANGES)) {
      host.exec("nft", "add", "table", "inet", "one");
      assertThat(monitor.poll(LONG).orElseThrow())
          .isInstanceOfSatisfying(
              Monitor.Changed.class,
              changed -> assertThat(((Generation) changed.object()).process()).isEqualTo("nft"));
    }
  }
}
