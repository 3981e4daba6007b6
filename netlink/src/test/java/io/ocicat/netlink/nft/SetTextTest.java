package io.ocicat.netlink.nft;

import static io.ocicat.netlink.nft.DataType.ETHER_ADDR;
import static io.ocicat.netlink.nft.DataType.IFACE_INDEX;
import static io.ocicat.netlink.nft.DataType.IFNAME;
import static io.ocicat.netlink.nft.DataType.INET_PROTO;
import static io.ocicat.netlink.nft.DataType.INET_SERVICE;
import static io.ocicat.netlink.nft.DataType.IPV4_ADDR;
import static io.ocicat.netlink.nft.DataType.IPV6_ADDR;
import static io.ocicat.netlink.nft.DataType.MARK;
import static io.ocicat.netlink.nft.L4Protocol.SCTP;
import static io.ocicat.netlink.nft.L4Protocol.TCP;
import static io.ocicat.netlink.nft.L4Protocol.UDP;
import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import io.ocicat.ip.MacAddress;
import io.ocicat.netlink.NetlinkRequest;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every kind of set and map against the nft command: it must print what was meant, store the same
 * from that text itself, and what we read back must be what we wrote.
 */
@Hosts
class SetTextTest {
  private static final TableId TABLE = new TableId(TableFamily.INET, "t");
  private static final SetId ID = TABLE.set("s");
  private static final KeyLayout SERVICE = KeyLayout.of(INET_PROTO, INET_SERVICE);

  /** A set with its elements, and how nft prints it. */
  record Case(NamedSet set, List<Element> elements, String text) {
    @Override
    public String toString() {
      return set + (set.flags().isEmpty() ? "" : " " + set.flags());
    }
  }

  static Stream<Case> sets() {
    return Stream.of(
        new Case(
            NamedSet.set(ID, IPV4_ADDR).withComment("the pods"),
            List.of(Element.of(ip("10.0.0.1")), Element.of(ip("10.0.0.2"))),
            """
            set s {
              type ipv4_addr
              comment "the pods"
              elements = { 10.0.0.1, 10.0.0.2 }
            }
            """),
        new Case(
            NamedSet.set(ID, IPV6_ADDR),
            List.of(Element.of(ip("fd00::1")).withComment("first")),
            """
            set s {
              type ipv6_addr
              elements = { fd00::1 comment "first" }
            }
            """),
        new Case(
            NamedSet.set(ID, INET_PROTO),
            List.of(Element.of(Value.protocol(TCP)), Element.of(Value.protocol(UDP))),
            """
            set s {
              type inet_proto
              elements = { tcp, udp }
            }
            """),
        new Case(
            NamedSet.set(ID, ETHER_ADDR).withSize(100),
            List.of(Element.of(mac("02:00:00:00:00:01"))),
            """
            set s {
              type ether_addr
              size 100
              elements = { 02:00:00:00:00:01 }
            }
            """),
        new Case(
            NamedSet.set(ID, MARK),
            List.of(Element.of(Value.mark(0x2000)), Element.of(Value.mark(0x80000000))),
            """
            set s {
              type mark
              elements = { 0x00002000, 0x80000000 }
            }
            """),
        new Case(
            NamedSet.set(ID, IFACE_INDEX),
            List.of(Element.of(Value.interfaceIndex(1))),
            """
            set s {
              type iface_index
              elements = { "lo" }
            }
            """),
        new Case(
            NamedSet.set(ID, IFNAME, MARK),
            List.of(Element.of(Value.interfaceName("eth0"), Value.mark(7))),
            """
            set s {
              type ifname . mark
              elements = { "eth0" . 0x00000007 }
            }
            """),
        new Case(
            NamedSet.set(ID, IPV4_ADDR, INET_PROTO, INET_SERVICE),
            List.of(
                Element.of(ip("10.0.0.1"), Value.protocol(TCP), Value.port(80)),
                Element.of(ip("10.0.0.1"), Value.protocol(SCTP), Value.port(81))),
            """
            set s {
              type ipv4_addr . inet_proto . inet_service
              elements = { 10.0.0.1 . tcp . 80,
                     10.0.0.1 . sctp . 81 }
            }
            """),
        new Case(
            NamedSet.set(ID, IPV4_ADDR).withTimeout(Duration.ofHours(1)),
            List.of(
                Element.of(ip("10.0.0.1"))
                    .withTimeout(Duration.ofMinutes(10))
                    .withComment("brief")),
            """
            set s {
              type ipv4_addr
              timeout 1h
              elements = { 10.0.0.1 timeout 10m comment "brief" }
            }
            """),
        new Case(
            NamedSet.set(ID, IPV4_ADDR).withFlags(SetFlag.DYNAMIC, SetFlag.TIMEOUT).withSize(65535),
            List.of(),
            """
            set s {
              type ipv4_addr
              size 65535
              flags dynamic,timeout
            }
            """),
        new Case(
            NamedSet.set(ID, INET_SERVICE).withFlags(SetFlag.CONSTANT),
            List.of(Element.of(Value.port(22))),
            """
            set s {
              type inet_service
              flags constant
              elements = { 22 }
            }
            """));
  }

  static Stream<Case> intervals() {
    return Stream.of(
        new Case(
            NamedSet.set(ID, IPV4_ADDR).withFlags(SetFlag.INTERVAL),
            List.of(
                Element.of(prefix("0.0.0.0/8")),
                Element.of(prefix("10.0.0.0/8")).withComment("private"),
                Element.of(ip("11.0.0.1")),
                Element.range(List.of(ip("12.0.0.1")), List.of(ip("12.0.0.9"))),
                Element.of(prefix("192.168.0.0/24")),
                Element.of(prefix("192.168.1.0/24")),
                Element.of(prefix("255.255.255.0/24"))),
            """
            set s {
              type ipv4_addr
              flags interval
              elements = { 0.0.0.0/8, 10.0.0.0/8 comment "private",
                     11.0.0.1, 12.0.0.1-12.0.0.9,
                     192.168.0.0/24, 192.168.1.0/24,
                     255.255.255.0/24 }
            }
            """),
        new Case(
            NamedSet.set(ID, IPV6_ADDR).withFlags(SetFlag.INTERVAL),
            List.of(Element.of(prefix("fd00::/48")), Element.of(prefix("ff00::/8"))),
            """
            set s {
              type ipv6_addr
              flags interval
              elements = { fd00::/48,
                     ff00::/8 }
            }
            """),
        new Case(
            NamedSet.set(ID, INET_SERVICE).withFlags(SetFlag.INTERVAL, SetFlag.TIMEOUT),
            List.of(
                Element.range(List.of(Value.port(80)), List.of(Value.port(90)))
                    .withTimeout(Duration.ofHours(2))),
            """
            set s {
              type inet_service
              flags interval,timeout
              elements = { 80-90 timeout 2h }
            }
            """),
        new Case(
            NamedSet.set(ID, IPV4_ADDR, INET_SERVICE).withFlags(SetFlag.INTERVAL),
            List.of(
                Element.of(ip("1.1.1.1"), Value.port(5)),
                Element.range(
                    List.of(ip("10.0.0.0"), Value.port(80)),
                    List.of(ip("10.255.255.255"), Value.port(90)))),
            """
            set s {
              type ipv4_addr . inet_service
              flags interval
              elements = { 1.1.1.1 . 5,
                     10.0.0.0/8 . 80-90 }
            }
            """),
        new Case(
            NamedSet.map(ID, KeyLayout.of(IPV4_ADDR), KeyLayout.of(MARK))
                .withFlags(SetFlag.INTERVAL),
            List.of(
                Element.of(prefix("10.0.0.0/9")).to(Value.mark(1)),
                Element.of(prefix("10.128.0.0/9")).to(Value.mark(2))),
            """
            map s {
              type ipv4_addr : mark
              flags interval
              elements = { 10.0.0.0/9 : 0x00000001, 10.128.0.0/9 : 0x00000002 }
            }
            """));
  }

  static Stream<Case> maps() {
    return Stream.of(
        new Case(
            NamedSet.map(ID, SERVICE, KeyLayout.of(IPV4_ADDR, INET_SERVICE))
                .withComment("host ports"),
            List.of(
                Element.of(Value.protocol(TCP), Value.port(80))
                    .to(ip("10.0.0.2"), Value.port(8080))
                    .withComment("blue"),
                Element.of(Value.protocol(UDP), Value.port(80)).to(ip("10.0.0.3"), Value.port(53))),
            """
            map s {
              type inet_proto . inet_service : ipv4_addr . inet_service
              comment "host ports"
              elements = { tcp . 80 comment "blue" : 10.0.0.2 . 8080,
                     udp . 80 : 10.0.0.3 . 53 }
            }
            """),
        new Case(
            NamedSet.map(
                ID,
                KeyLayout.of(IPV6_ADDR, INET_PROTO, INET_SERVICE),
                KeyLayout.of(IPV6_ADDR, INET_SERVICE)),
            List.of(
                Element.of(ip("fd00::1"), Value.protocol(TCP), Value.port(80))
                    .to(ip("fd00::2"), Value.port(8080))),
            """
            map s {
              type ipv6_addr . inet_proto . inet_service : ipv6_addr . inet_service
              elements = { fd00::1 . tcp . 80 : fd00::2 . 8080 }
            }
            """),
        new Case(
            NamedSet.map(ID, KeyLayout.of(IFNAME), KeyLayout.of(IPV4_ADDR)),
            List.of(Element.of(Value.interfaceName("eth0")).to(ip("1.2.3.4"))),
            """
            map s {
              type ifname : ipv4_addr
              elements = { "eth0" : 1.2.3.4 }
            }
            """),
        new Case(
            NamedSet.map(ID, KeyLayout.of(MARK), KeyLayout.of(MARK)),
            List.of(Element.of(Value.mark(1)).to(Value.mark(0x10000))),
            """
            map s {
              type mark : mark
              elements = { 0x00000001 : 0x00010000 }
            }
            """),
        new Case(
            NamedSet.verdictMap(ID, IPV4_ADDR, INET_SERVICE),
            List.of(
                Element.of(ip("10.0.0.1"), Value.port(80)).to(Verdict.jump("pod")),
                Element.of(ip("10.0.0.1"), Value.port(81)).to(Verdict.goTo("pod")),
                Element.of(ip("10.0.0.1"), Value.port(82)).to(Verdict.DROP)),
            """
            map s {
              type ipv4_addr . inet_service : verdict
              elements = { 10.0.0.1 . 80 : jump pod,
                     10.0.0.1 . 81 : goto pod,
                     10.0.0.1 . 82 : drop }
            }
            """),
        new Case(
            NamedSet.verdictMap(ID, IFNAME),
            List.of(
                Element.of(Value.interfaceName("eth0")).to(Verdict.ACCEPT),
                Element.catchAll().to(Verdict.RETURN)),
            """
            map s {
              type ifname : verdict
              elements = { "eth0" : accept,
                     * : return }
            }
            """));
  }

  @ParameterizedTest
  @MethodSource({"sets", "intervals", "maps"})
  void nftPrintsTheSetAndStoresTheSameFromTheText(Case one, Host ours, Host theirs) {
    String text = "table inet t {\n%s chain pod {\n}\n}\n".formatted(one.text());
    try (Ruleset written = Ruleset.of(ours);
        Ruleset loaded = Ruleset.of(theirs)) {
      written.net().transact(requests(one));
      assertThat(written.printed()).containsExactlyElementsOf(Ruleset.lines(text));

      loaded.load(text);
      assertThat(written.json()).isEqualTo(loaded.json());
      assertThat(written.net().find(Sets.get(ID))).contains(one.set());
      for (Ruleset ruleset : List.of(written, loaded)) {
        assertThat(ruleset.net().list(Elements.in(one.set())))
            .containsExactlyInAnyOrderElementsOf(one.elements());
        for (Element element : one.elements()) {
          assertThat(ruleset.net().find(Elements.get(one.set(), element))).contains(element);
        }
      }
    }
  }

  @ParameterizedTest
  @MethodSource({"sets", "intervals", "maps"})
  void elementsGoOneByOne(Case one, Host host) {
    try (Ruleset ruleset = Ruleset.of(host)) {
      ruleset.net().transact(requests(one));
      List<Element> left = new ArrayList<>(one.elements());
      while (!left.isEmpty()) {
        Element gone = left.removeFirst();
        ruleset.net().transact(Elements.delete(one.set(), gone));
        assertThat(ruleset.net().list(Elements.in(one.set())))
            .containsExactlyInAnyOrderElementsOf(left);
      }
    }
  }

  private static List<NetlinkRequest> requests(Case one) {
    List<NetlinkRequest> requests = new ArrayList<>();
    requests.add(Tables.add(Table.of(TABLE)));
    requests.add(Chains.add(Chain.regular(TABLE.chain("pod"))));
    requests.add(Sets.add(one.set()));
    one.elements().forEach(element -> requests.add(Elements.add(one.set(), element)));
    return requests;
  }

  private static Value ip(String text) {
    return Value.address(IpAddress.parse(text));
  }

  private static Value mac(String text) {
    return Value.mac(MacAddress.parse(text));
  }

  private static IpPrefix prefix(String text) {
    return IpPrefix.parse(text);
  }
}
