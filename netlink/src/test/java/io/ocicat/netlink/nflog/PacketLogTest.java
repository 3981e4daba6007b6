package io.ocicat.netlink.nflog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.ip.IpAddress;
import io.ocicat.netlink.Monitor;
import io.ocicat.netlink.linux.Errno;
import io.ocicat.netlink.linux.NetlinkException;
import io.ocicat.netlink.ns.NetNs;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import io.ocicat.testkit.Udp;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

@Hosts
class PacketLogTest {
  private static final int GROUP = 193;
  private static final Duration LIMIT = Duration.ofSeconds(10);

  @Test
  void aLoggedPacketComesWithItsReason(Host host) {
    host.command("nft", "-f", "-")
        .stdin(
            """
            table inet t {
              chain c {
                type filter hook input priority 0
                udp dport 4000 log group %d prefix "denied by np/a/b" drop
              }
            }
            """
                .formatted(GROUP))
        .run();
    try (NetNs namespace = NetNs.open(host.path());
        Monitor<LoggedPacket> log = PacketLog.open(namespace, GROUP)) {
      for (String address : List.of("127.0.0.1", "::1")) {
        LoggedPacket packet = logged(namespace, log, address);
        assertThat(packet.prefix()).isEqualTo("denied by np/a/b");
        assertThat(packet.inInterface()).isEqualTo(1);
        assertThat(packet.outInterface()).isZero();
        LoggedPacket.Addresses addresses = packet.addresses().orElseThrow();
        assertThat(addresses.source()).isEqualTo(IpAddress.parse(address));
        assertThat(addresses.destination()).isEqualTo(IpAddress.parse(address));
        assertThat(addresses.protocol()).isEqualTo(17);
        assertThat(addresses.sourcePort()).isEqualTo(5000);
        assertThat(addresses.destinationPort()).isEqualTo(4000);
        assertThat(packet.content().length()).isLessThanOrEqualTo(128);
      }
      assertThatThrownBy(() -> PacketLog.open(namespace, GROUP).close())
          .isInstanceOfSatisfying(
              NetlinkException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EPERM));
    }
  }

  private static LoggedPacket logged(NetNs namespace, Monitor<LoggedPacket> log, String address) {
    List<LoggedPacket> packets = new ArrayList<>();
    Udp.Place inside = namespace::visit;
    try (Udp sender = Udp.bind(inside, address, 5000)) {
      sender.send("x".repeat(90), address, 4000);
      switch (log.poll(LIMIT).orElseThrow()) {
        case Monitor.Changed<LoggedPacket>(LoggedPacket packet) -> packets.add(packet);
        case Monitor.Removed<LoggedPacket> _, Monitor.Lost<LoggedPacket> _ -> {}
      }
    }
    assertThat(packets).hasSize(1);
    return packets.getFirst();
  }
}
