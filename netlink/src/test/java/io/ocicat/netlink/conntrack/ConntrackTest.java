package io.ocicat.netlink.conntrack;

import static io.ocicat.netlink.conntrack.IpProtocol.ICMP;
import static io.ocicat.netlink.conntrack.IpProtocol.ICMPV6;
import static io.ocicat.netlink.conntrack.IpProtocol.SCTP;
import static io.ocicat.netlink.conntrack.IpProtocol.TCP;
import static io.ocicat.netlink.conntrack.IpProtocol.UDP;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.ip.IpAddress;
import io.ocicat.netlink.Garbage;
import io.ocicat.netlink.IpFamily;
import io.ocicat.netlink.NetlinkMessage;
import io.ocicat.netlink.NetlinkQuery;
import io.ocicat.netlink.NetlinkSocket;
import io.ocicat.netlink.Protocol;
import io.ocicat.netlink.conntrack.Transport.Icmp;
import io.ocicat.netlink.conntrack.Transport.Ports;
import io.ocicat.netlink.linux.Errno;
import io.ocicat.netlink.linux.NetlinkException;
import io.ocicat.netlink.ns.NetNs;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Listing and deleting connections that conntrack(8) has added to the table. */
@Hosts
class ConntrackTest {
  private static final int CT_GET = 0x101;

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
  @CsvSource({"tcp, 10.0.0.1, 10.0.0.2", "tcp, fd00::1, fd00::2"})
  void readsTcp(String protocol, String from, String to, Host host) {
    insert(host, protocol, from, to, "1000", "80", "--state", "ESTABLISHED");

    assertThat(only(from))
        .satisfies(one -> assertThat(one.original()).isEqualTo(ports(TCP, from, 1000, to, 80)))
        .satisfies(one -> assertThat(one.reply()).isEqualTo(ports(TCP, to, 80, from, 1000)))
        .satisfies(one -> assertThat(one.timeout()).isBetween(60L, 100L));
  }

  @ParameterizedTest
  @CsvSource({"10.0.0.1, 10.0.0.2", "fd00::1, fd00::2"})
  void readsSctp(String from, String to, Host host) {
    insert(
        host,
        "sctp",
        from,
        to,
        "1000",
        "80",
        "--state",
        "ESTABLISHED",
        "--orig-vtag",
        "1",
        "--reply-vtag",
        "2");

    assertThat(only(from).original()).isEqualTo(ports(SCTP, from, 1000, to, 80));
    net.perform(Conntrack.deleteByOriginal(ports(SCTP, from, 1000, to, 80)));
    assertThat(shown(host, from)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"127.0.0.1, 8", "::1, 128"})
  void readsAndDeletesAPing(String address, int type, Host host) {
    host.command("nft", "-f", "-")
        .stdin("table inet t { chain c { type filter hook input priority 0; ct state new; }; }")
        .run();
    host.exec("ping", "-c1", "-W5", address);

    IpFamily family = IpFamily.of(IpAddress.parse(address));
    IpProtocol protocol = family == IpFamily.V4 ? ICMP : ICMPV6;
    ConntrackEntry ping =
        net.list(Conntrack.list(ConntrackFilter.of(family).protocol(protocol))).getFirst();
    assertThat(ping.original().transport())
        .isInstanceOfSatisfying(Icmp.class, icmp -> assertThat(icmp.type()).isEqualTo(type));
    assertThat(shown(host, address)).hasSize(1);
    net.perform(Conntrack.deleteByOriginal(ping.original()));
    assertThat(shown(host, address)).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(IpFamily.class)
  void everyPartOfAFilterCounts(IpFamily family, Host host) {
    boolean v4 = family == IpFamily.V4;
    String a = v4 ? "10.0.0.1" : "fd00::1";
    String b = v4 ? "10.0.0.2" : "fd00::2";
    insert(host, "udp", a, b, "1000", "53");
    insert(host, "udp", a, b, "1001", "54");
    insert(host, "udp", b, a, "1000", "53");
    insert(host, "tcp", a, b, "1000", "53", "--state", "ESTABLISHED");
    insert(host, "udp", v4 ? "fd00::1" : "10.0.0.1", v4 ? "fd00::2" : "10.0.0.2", "1000", "53");
    ConntrackFilter all = ConntrackFilter.of(family);
    ConntrackFilter udp = all.protocol(UDP);
    IpAddress ipA = IpAddress.parse(a);
    IpAddress ipB = IpAddress.parse(b);

    assertCounts(all, 4, 4);
    assertCounts(udp, 3, 3);
    assertCounts(udp.originalDestinationPort(53), 2, 2);
    assertCounts(udp.originalSourcePort(1001), 1, 1);
    // The kernel's filter for IPv6 addresses is broken: it matches the wrong ones.
    assertCounts(udp.originalSource(ipA), 2, v4 ? 2 : 3);
    assertCounts(all.originalDestination(ipA), 1, v4 ? 1 : 4);
    assertCounts(all.replySource(ipB), 3, v4 ? 3 : 4);
    assertCounts(all.replyDestination(ipB), 1, v4 ? 1 : 4);
    assertCounts(udp.replySourcePort(54), 1, 1);
    assertCounts(udp.replyDestinationPort(1000), 2, 2);
    assertCounts(
        udp.originalDestination(ipB).originalDestinationPort(53).replySource(ipB), 1, v4 ? 1 : 2);
    assertCounts(udp.originalDestinationPort(99), 0, 0);
    // Without a protocol the kernel cannot filter by port, and the rest is done here.
    assertCounts(all.originalDestinationPort(53), 3, 4);
  }

  @ParameterizedTest
  @ValueSource(strings = {"10.0.0.1", "fd00::1"})
  void marksAreFilteredByValueAndMask(String address, Host host) {
    String to = address.contains(":") ? "fd00::2" : "10.0.0.2";
    insert(host, "udp", address, to, "1000", "53", "--mark", "0x13");
    insert(host, "udp", address, to, "1001", "53", "--mark", "0x23");
    ConntrackFilter all = ConntrackFilter.of(IpFamily.of(IpAddress.parse(address)));

    assertCounts(all.mark(0x13, -1), 1, 1);
    assertCounts(all.mark(0x3, 0xf), 2, 2);
    assertCounts(all.mark(0x4, 0xf), 0, 0);
    assertThat(net.list(Conntrack.list(all)))
        .extracting(ConntrackEntry::mark)
        .containsExactlyInAnyOrder(0x13, 0x23);
  }

  @ParameterizedTest
  @ValueSource(strings = {"10.0.0.1", "fd00::1"})
  void zonesKeepEqualConnectionsApart(String address, Host host) {
    String to = address.contains(":") ? "fd00::2" : "10.0.0.2";
    insert(host, "udp", address, to, "1000", "53");
    insert(host, "udp", address, to, "1000", "53", "-w", "7");
    ConntrackFilter all = ConntrackFilter.of(IpFamily.of(IpAddress.parse(address)));
    Tuple tuple = ports(UDP, address, 1000, to, 53);

    assertThat(net.list(Conntrack.list(all.zone(7))))
        .extracting(ConntrackEntry::original)
        .containsExactly(tuple.zone(7));
    assertThat(net.list(Conntrack.list(all.zone(0))))
        .extracting(ConntrackEntry::original)
        .containsExactly(tuple);
    assertThat(net.list(Conntrack.list(all.zone(8)))).isEmpty();

    net.perform(Conntrack.deleteByOriginal(tuple.zone(7)));
    assertThat(net.list(Conntrack.list(all)))
        .extracting(ConntrackEntry::original)
        .containsExactly(tuple);
    assertThatThrownBy(() -> net.perform(Conntrack.deleteByOriginal(tuple.zone(7))))
        .hasMessageContaining(" zone 7: No such file or directory (ENOENT)");
  }

  @ParameterizedTest
  @CsvSource({
    "10.0.0.1, 10.0.0.2, 10.0.0.1:1000 > 10.0.0.2:53, 10.0.0.2:53 > 10.0.0.1:1000",
    "fd00::1, fd00::2, [fd00::1]:1000 > [fd00::2]:53, [fd00::2]:53 > [fd00::1]:1000"
  })
  void deletesByEitherDirection(
      String from, String to, String originalText, String replyText, Host host) {
    Tuple original = ports(UDP, from, 1000, to, 53);
    Tuple reply = ports(UDP, to, 53, from, 1000);

    insert(host, "udp", from, to, "1000", "53");
    net.perform(Conntrack.deleteByOriginal(original));
    assertThat(shown(host, from)).isEmpty();
    insert(host, "udp", from, to, "1000", "53");
    net.perform(Conntrack.deleteByReply(reply));
    assertThat(shown(host, from)).isEmpty();

    assertThatThrownBy(() -> net.perform(Conntrack.deleteByOriginal(original)))
        .isInstanceOfSatisfying(
            NetlinkException.class, e -> assertThat(e.errno()).isEqualTo(Errno.ENOENT))
        .hasMessage(
            "delete connection with original packets udp "
                + originalText
                + ": No such file or directory (ENOENT)");
    assertThatThrownBy(() -> net.perform(Conntrack.deleteByReply(reply)))
        .hasMessage(
            "delete connection with replies udp "
                + replyText
                + ": No such file or directory (ENOENT)");
  }

  @Test
  void aListedConnectionIsNotMistakenForOneWithAnotherId(Host host) {
    insert(host, "udp", "10.0.0.1", "10.0.0.2", "1000", "53");
    ConntrackEntry now = only("10.0.0.1");
    ConntrackEntry earlier =
        new ConntrackEntry(now.original(), now.reply(), now.mark(), now.timeout(), now.id() + 1);

    assertThatThrownBy(() -> net.perform(Conntrack.delete(earlier)))
        .hasMessage(
            "delete connection udp 10.0.0.1:1000 > 10.0.0.2:53: "
                + "No such file or directory (ENOENT)");
    assertThat(shown(host, "10.0.0.1")).hasSize(1);
    net.perform(Conntrack.delete(now));
    assertThat(shown(host, "10.0.0.1")).isEmpty();
  }

  @Test
  void flushesAFamilyOrEverything(Host host) {
    insert(host, "udp", "10.0.0.1", "10.0.0.2", "1000", "53");
    insert(host, "udp", "fd00::1", "fd00::2", "1000", "53");

    net.perform(Conntrack.flush(IpFamily.V6));
    assertThat(shown(host, "10.0.0.1")).hasSize(1);
    assertThat(shown(host, "fd00::1")).isEmpty();
    insert(host, "udp", "fd00::1", "fd00::2", "1000", "53");
    net.perform(Conntrack.flush());
    assertThat(shown(host, "10.0.0.1")).isEmpty();
    assertThat(shown(host, "fd00::1")).isEmpty();
  }

  @Test
  void purgingManyTakesOnlyThose(Host host) {
    List<String> commands = new ArrayList<>();
    for (int port = 1; port <= 600; port++) {
      for (String to : new String[] {"53", "54"}) {
        commands.add(
            "-I -p udp -s 10.0.0.1 -d 10.0.0.2 --sport " + port + " --dport " + to + " -t 100");
      }
    }
    host.command("conntrack", "--load-file", "-").stdin(String.join("\n", commands) + "\n").run();
    ConntrackFilter all = ConntrackFilter.of(IpFamily.V4);
    assertThat(net.list(Conntrack.list(all))).hasSize(1200);

    assertThat(Conntrack.purge(net, all.protocol(UDP).originalDestinationPort(53))).isEqualTo(600);

    assertThat(net.list(Conntrack.list(all)))
        .hasSize(600)
        .allSatisfy(
            one ->
                assertThat(one.original().transport())
                    .isInstanceOfSatisfying(
                        Ports.class, ports -> assertThat(ports.destination()).isEqualTo(54)));
    assertThat(Conntrack.purge(net, all.protocol(TCP))).isZero();
    assertThat(Conntrack.purge(net, Conntrack.list(all.protocol(UDP)).where(_ -> false))).isZero();
    assertThat(Conntrack.purge(net, Conntrack.list(all.protocol(UDP)))).isEqualTo(600);
  }

  @Test
  void whatCannotBeIsRefusedBeforeItIsSent() {
    ConntrackFilter filter = ConntrackFilter.of(IpFamily.V4);

    assertThatThrownBy(() -> filter.replySource(IpAddress.parse("fd00::1")))
        .hasMessage("no IPv4 connection has the address fd00::1");
    assertThatThrownBy(() -> filter.originalDestinationPort(65536))
        .hasMessage("a port is 0–65535, not 65536");
    assertThatThrownBy(() -> filter.zone(-1))
        .hasMessage("a zone of connections is 0–65535, not -1");
    assertThatThrownBy(() -> ports(UDP, "10.0.0.1", 1, "fd00::1", 1))
        .hasMessage("no connection leads from 10.0.0.1 to fd00::1: not the same family");
    assertThatThrownBy(() -> new Icmp(ICMP, 1, 256, 0))
        .hasMessage("ICMP has an id of 0–65535, a type and a code of 0–255, not 1, 256, 0");
    assertThatThrownBy(() -> new IpProtocol(256)).hasMessage("an IP protocol is 0–255, not 256");
  }

  @Test
  void theFilterIsInTheErrorInConntracksWords() {
    assertThat(
            ConntrackFilter.of(IpFamily.V4)
                .protocol(UDP)
                .originalDestination(IpAddress.parse("10.0.0.1"))
                .originalDestinationPort(53)
                .replySource(IpAddress.parse("10.0.0.2"))
                .zone(3)
                .mark(1, 0xff))
        .hasToString(
            "IPv4 connections -p udp --orig-dst 10.0.0.1 --orig-port-dst 53 "
                + "--reply-src 10.0.0.2 --zone 3 --mark 0x1/0xff");
  }

  @Test
  void anyBytesGiveAConnectionOrACleanException(Host host) {
    insert(host, "udp", "10.0.0.1", "10.0.0.2", "1000", "53", "--mark", "3", "-w", "7");
    insert(host, "tcp", "fd00::1", "fd00::2", "1000", "53", "--state", "ESTABLISHED");
    List<NetlinkMessage> real = new ArrayList<>(answers(ConntrackFilter.of(IpFamily.V4)));
    real.addAll(answers(ConntrackFilter.of(IpFamily.V6)));

    assertThat(real).hasSize(2);
    Garbage.feed(real, ConntrackMessage::read);
  }

  private void assertCounts(ConntrackFilter filter, int matching, int sentByKernel) {
    assertThat(net.list(Conntrack.list(filter))).as(filter.toString()).hasSize(matching);
    assertThat(answers(filter)).as("answers to " + filter).hasSize(sentByKernel);
  }

  private List<NetlinkMessage> answers(ConntrackFilter filter) {
    return net.list(
        NetlinkQuery.all(
            CT_GET,
            out -> ConntrackMessage.writeFilter(out, filter),
            message -> message,
            () -> "list " + filter));
  }

  private ConntrackEntry only(String source) {
    List<ConntrackEntry> found =
        net.list(Conntrack.list(ConntrackFilter.of(IpFamily.of(IpAddress.parse(source)))));
    assertThat(found).hasSize(1);
    return found.getFirst();
  }

  private static Tuple ports(IpProtocol protocol, String from, int fromPort, String to, int port) {
    return Tuple.of(
        IpAddress.parse(from), IpAddress.parse(to), new Ports(protocol, fromPort, port));
  }

  private static void insert(
      Host host,
      String protocol,
      String from,
      String to,
      String fromPort,
      String port,
      String... more) {
    List<String> argv =
        new ArrayList<>(List.of("conntrack", "-I", "-p", protocol, "-s", from, "-d", to));
    argv.addAll(List.of("--sport", fromPort, "--dport", port, "-t", "100"));
    argv.addAll(List.of(more));
    host.exec(argv.toArray(String[]::new));
  }

  private static List<String> shown(Host host, String source) {
    String family = source.contains(":") ? "ipv6" : "ipv4";
    return host.exec("conntrack", "-L", "-f", family, "-s", source).stdout().lines().toList();
  }
}
