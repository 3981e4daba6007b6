package io.ocicat.netlink.tc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.ip.IpPrefix;
import io.ocicat.netlink.linux.Errno;
import io.ocicat.netlink.linux.NetlinkException;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.JsonNode;

/** Filters with and without actions, checked with tc. */
@Hosts
class FiltersTest extends TcFixture {
  private static final Handle ONE = Handle.ofQdisc(1);
  private static final Handle FFFF = Handle.ofQdisc(0xffff);
  private static final Handle FAST = ONE.minor(1);

  @BeforeEach
  void addQdiscs(Host host) {
    net.perform(
        Qdiscs.add(veth, Handle.ROOT, ONE, Htb.withDefault(0)),
        Classes.add(veth, ONE, FAST, HtbClass.of(Rate.ofBits(8_000_000))),
        Qdiscs.add(veth, Handle.INGRESS, FFFF, QdiscOptions.INGRESS));
  }

  @Test
  void allThatArrivesIsRedirectedToAnIfb(Host host) {
    FilterPosition place = new FilterPosition(veth, FFFF, 1, EtherType.ALL);
    U32 redirect = U32.everything().flow(FAST).action(Mirred.redirectTo(ifb));

    net.perform(Filters.add(place, redirect));

    String shown = host.exec("tc", "filter", "show", "dev", "eth0", "parent", "ffff:").stdout();
    assertThat(shown)
        .contains("filter protocol all pref 1 u32 chain 0 fh 800::800 ")
        .contains("flowid 1:1 ")
        .contains("match 00000000/00000000 at 0")
        .contains("mirred (Egress Redirect to device ifb7) stolen");
    Filter read = filter(net.list(Filters.of(veth, FFFF)));
    assertThat(read.place()).isEqualTo(place);
    assertThat(read.handle()).isEqualTo(U32Handle.of(0x800, 0, 0x800).value());
    assertThat(read.classifier()).isEqualTo(redirect.at(U32Handle.of(0x800, 0, 0x800)));
  }

  @Test
  void redirectedTrafficReallyGetsThere(Host host) {
    net.perform(
        Filters.add(
            new FilterPosition(veth, FFFF, 1, EtherType.ALL),
            U32.everything().action(Mirred.redirectTo(ifb))),
        Qdiscs.add(ifb, Handle.ROOT, ONE, Tbf.withLimit(Rate.ofBits(8_000_000), 100_000, 200_000)));
    host.exec("ip", "address", "add", "10.9.0.2/24", "dev", "eth1");

    host.tryExec("ping", "-c1", "-W1", "10.9.0.1");

    assertThat(net.find(Qdiscs.at(ifb, Handle.ROOT)).orElseThrow().counters().packets())
        .isPositive();
  }

  @ParameterizedTest
  @EnumSource
  void packetsAreGivenToAnotherLinkInFourWays(Mirred.Mode mode, Host host) {
    Mirred mirred = new Mirred(mode, ifb);

    net.perform(
        Filters.add(
            new FilterPosition(veth, FFFF, 1, EtherType.IPV4), U32.everything().action(mirred)));

    JsonNode action = options(host, "ffff:", 2).get("actions").get(0);
    String[] words = mode.name().toLowerCase(Locale.ROOT).split("_", -1);
    assertThat(action.get("direction").asString()).isEqualTo(words[0]);
    assertThat(action.get("mirred_action").asString()).isEqualTo(words[1]);
    assertThat(action.get("to_dev").asString()).isEqualTo("ifb7");
    assertThat(action.get("control_action").get("type").asString())
        .isEqualTo(words[1].equals("redirect") ? "stolen" : "pipe");
    assertThat(((U32) filter(net.list(Filters.of(veth, FFFF))).classifier()).actions())
        .containsExactly(mirred);
  }

  @Test
  void aFilterDoesSeveralThings(Host host) {
    Mirred copy = Mirred.mirrorTo(veth);
    Mirred redirect = Mirred.redirectTo(ifb);

    net.perform(
        Filters.add(
            new FilterPosition(veth, FFFF, 1, EtherType.ALL),
            U32.everything().action(copy).action(redirect)));

    assertThat(options(host, "ffff:", 2).get("actions")).hasSize(2);
    assertThat(((U32) filter(net.list(Filters.of(veth, FFFF))).classifier()).actions())
        .containsExactly(copy, redirect);
  }

  @Test
  void ipv4PacketsAreChosenByPrefixesProtocolAndPorts(Host host) {
    U32 filter =
        U32.matching(
                IpMatch.ipv4()
                    .source(IpPrefix.parse("10.1.2.3/16"))
                    .destination(IpPrefix.parse("192.168.7.9/32"))
                    .protocol(6)
                    .sourcePort(1024)
                    .destinationPort(80)
                    .keys())
            .flow(FAST);

    net.perform(Filters.add(new FilterPosition(veth, ONE, 5, EtherType.IPV4), filter));
    host.exec(
        ("tc filter add dev eth0 parent 1: protocol ip prio 5 u32 match ip src 10.1.0.0/16"
                + " match ip dst 192.168.7.9 match ip protocol 6 0xff match ip sport 1024 0xffff"
                + " match ip dport 80 0xffff flowid 1:1")
            .split(" "));

    assertThat(filters(ONE))
        .extracting(read -> ((U32) read.classifier()).at(U32Handle.NONE))
        .containsExactly(filter, filter);
    assertThat(host.exec("tc", "filter", "show", "dev", "eth0").stdout())
        .contains("match 0a010000/ffff0000 at 12", "match c0a80709/ffffffff at 16");
  }

  @Test
  void ipv6PacketsAreChosenByPrefixesProtocolAndPorts(Host host) {
    U32 filter =
        U32.matching(
                IpMatch.ipv6()
                    .source(IpPrefix.parse("2001:db8:8000::/33"))
                    .destination(IpPrefix.parse("fd00::1:2/128"))
                    .protocol(17)
                    .sourcePort(53)
                    .destinationPort(5353)
                    .keys())
            .flow(FAST);

    net.perform(Filters.add(new FilterPosition(veth, ONE, 6, EtherType.IPV6), filter));
    host.exec(
        ("tc filter add dev eth0 parent 1: protocol ipv6 prio 6 u32 match ip6 src"
                + " 2001:db8:8000::/33 match ip6 dst fd00::1:2/128 match ip6 protocol 17 0xff"
                + " match ip6 sport 53 0xffff match ip6 dport 5353 0xffff flowid 1:1")
            .split(" "));

    assertThat(filters(ONE))
        .extracting(read -> ((U32) read.classifier()).at(U32Handle.NONE))
        .containsExactly(filter, filter);
  }

  @Test
  void whatNoPacketCanMatchIsRefused() {
    assertThatThrownBy(() -> IpMatch.ipv4().source(IpPrefix.parse("fd00::/8")))
        .hasMessage("fd00::/8 cannot be looked for in an IPv4 header");
    assertThatThrownBy(() -> IpMatch.ipv6().destinationPort(65536))
        .hasMessage("a port is a number from 0 to 65535, not 65536");
    assertThatThrownBy(() -> IpMatch.ipv4().sourcePort(1).sourcePort(2))
        .hasMessage("no packet matches both 00010000/ffff0000 at 20 and 00020000/ffff0000 at 20");
    assertThat(U32.matching(IpMatch.ipv6().source(IpPrefix.parse("::/0")).keys()))
        .isEqualTo(U32.everything());
  }

  @Test
  void aHashTableLeadsToItsBuckets(Host host) {
    FilterPosition place = new FilterPosition(veth, ONE, 7, EtherType.IPV4);
    U32Table table = new U32Table(U32Handle.ofTable(2), 256);
    U32 jump =
        U32.matching(IpMatch.ipv4().destination(IpPrefix.parse("10.0.0.0/8")).keys())
            .at(U32Handle.ofTable(0x800))
            .jump(new U32.Jump(U32Handle.ofTable(2), 0xff, 16));
    U32 inBucket =
        U32.matching(IpMatch.ipv4().destination(IpPrefix.parse("10.0.0.123/32")).keys())
            .at(U32Handle.of(2, 123, 0))
            .flow(FAST);

    net.perform(Filters.add(place, table), Filters.add(place, jump), Filters.add(place, inBucket));

    assertThat(host.exec("tc", "filter", "show", "dev", "eth0").stdout())
        .contains("fh 2: ht divisor 256")
        .contains("link 2: ")
        .contains("hash mask 000000ff at 16")
        .contains("fh 2:7b:800 order 2048 key ht 2 bkt 7b ");
    assertThat(net.list(Filters.of(veth, ONE)))
        .extracting(Filter::classifier)
        .contains(table, inBucket.at(U32Handle.of(2, 123, 0x800)));
    assertThat(filters(ONE)).anyMatch(read -> ((U32) read.classifier()).jump().equals(jump.jump()));
  }

  @Test
  void theHashTableSendsPacketsToTheClass(Host host) {
    FilterPosition place = new FilterPosition(veth, ONE, 7, EtherType.IPV4);
    net.perform(
        Filters.add(place, new U32Table(U32Handle.ofTable(2), 256)),
        Filters.add(place, U32.everything().jump(new U32.Jump(U32Handle.ofTable(2), 0xff, 16))),
        Filters.add(
            place,
            U32.matching(IpMatch.ipv4().destination(IpPrefix.parse("10.9.0.123/32")).keys())
                .at(U32Handle.of(2, 123, 0))
                .flow(FAST)));
    host.exec("ip", "address", "add", "10.9.0.1/24", "dev", "eth0");
    host.exec("ip neigh add 10.9.0.123 lladdr 02:00:00:00:00:01 dev eth0".split(" "));
    host.exec("ip neigh add 10.9.0.124 lladdr 02:00:00:00:00:01 dev eth0".split(" "));

    host.tryExec("ping", "-c2", "-i0.01", "-W0.1", "10.9.0.123");
    host.tryExec("ping", "-c3", "-i0.01", "-W0.1", "10.9.0.124");

    assertThat(net.find(Classes.at(veth, FAST)).orElseThrow().counters().packets()).isEqualTo(2);
  }

  @Test
  void oneFilterIsRemovedByItsHandle() {
    FilterPosition place = new FilterPosition(veth, ONE, 3, EtherType.IPV4);
    U32Handle handle = U32Handle.of(0, 0, 0x10);
    U32 first = U32.everything().flow(FAST).at(handle);
    net.perform(Filters.add(place, first), Filters.add(place, U32.everything().flow(FAST)));
    assertThat(filters(ONE)).hasSize(2);
    Filter read = filters(ONE).getFirst();
    assertThat(((U32) read.classifier()).at()).hasToString("800::10");
    assertThatThrownBy(() -> net.perform(Filters.add(place, read.classifier())))
        .satisfies(e -> assertThat(((NetlinkException) e).errno()).isEqualTo(Errno.EEXIST));

    net.perform(Filters.delete(read));

    assertThat(filters(ONE)).hasSize(1).doesNotContain(read);
    assertThatThrownBy(() -> net.perform(Filters.delete(read)))
        .hasMessageStartingWith(
            "delete filter dev %d parent 1: protocol ip pref 3 handle 0x80000010 u32: No such file"
                .formatted(veth));
  }

  @Test
  void replacingAFilterKeepsItsHandle() {
    FilterPosition place = new FilterPosition(veth, FFFF, 1, EtherType.ALL);
    net.perform(Filters.add(place, U32.everything().action(Mirred.redirectTo(ifb))));
    U32 old = (U32) filter(net.list(Filters.of(veth, FFFF))).classifier();

    U32 changed = U32.everything().at(old.at()).action(Mirred.mirrorTo(ifb));
    net.perform(Filters.replace(place, changed));

    assertThat(filter(net.list(Filters.of(veth, FFFF))).classifier()).isEqualTo(changed);
  }

  @Test
  void filtersAreRemovedByPlaceOrAllAtOnce() {
    FilterPosition three = new FilterPosition(veth, ONE, 3, EtherType.IPV4);
    FilterPosition four = new FilterPosition(veth, ONE, 4, EtherType.IPV6);
    FilterPosition five = new FilterPosition(veth, ONE, 5, EtherType.ALL);
    for (FilterPosition place : List.of(three, four, five)) {
      net.perform(Filters.add(place, U32.everything().flow(FAST)));
    }

    net.perform(Filters.delete(four));
    assertThat(filters(ONE)).extracting(Filter::place).containsExactly(three, five);

    net.perform(Filters.deleteAll(veth, ONE));
    assertThat(net.list(Filters.of(veth, ONE))).isEmpty();
    assertThatThrownBy(() -> net.perform(Filters.delete(four)))
        .hasMessageStartingWith(
            "delete filters dev %d parent 1: protocol ipv6 pref 4: ".formatted(veth));
  }

  @Test
  void clsactHasFiltersForBothDirections(Host host) {
    net.perform(
        Qdiscs.add(ifb, Handle.INGRESS, FFFF, QdiscOptions.CLSACT),
        Filters.add(
            new FilterPosition(ifb, Handle.CLSACT_EGRESS, 1, EtherType.ALL),
            U32.everything().action(Mirred.mirrorTo(veth))),
        Filters.add(
            new FilterPosition(ifb, Handle.CLSACT_INGRESS, 2, EtherType.ALL),
            U32.everything().action(Mirred.redirectTo(veth))));

    assertThat(host.exec("tc", "filter", "show", "dev", "ifb7", "egress").stdout())
        .contains("pref 1 u32", "Egress Mirror to device eth0");
    assertThat(host.exec("tc", "filter", "show", "dev", "ifb7", "ingress").stdout())
        .contains("pref 2 u32", "Egress Redirect to device eth0");
    assertThat(net.list(Filters.of(ifb, Handle.CLSACT_EGRESS)))
        .extracting(read -> read.place().priority())
        .containsOnly(1);
  }

  @Test
  void aTargetThatIsGoneIsReportedAsLinkZero(Host host) {
    net.perform(
        Filters.add(
            new FilterPosition(veth, FFFF, 1, EtherType.ALL),
            U32.everything().action(Mirred.redirectTo(ifb))));

    host.exec("ip", "link", "delete", "ifb7");

    assertThat(((U32) filter(net.list(Filters.of(veth, FFFF))).classifier()).actions())
        .containsExactly(new Mirred(Mirred.Mode.EGRESS_REDIRECT, 0));
  }

  @Test
  void otherKindsAreListedByNameButNotWritten(Host host) {
    FilterPosition place = new FilterPosition(veth, ONE, 1, EtherType.ALL);

    assertThatThrownBy(() -> net.perform(Filters.add(place, new Classifier.Other("flower"))))
        .hasMessage("a filter of kind \"flower\" can be read but not written");
    assertThatThrownBy(
            () ->
                net.perform(
                    Filters.add(place, U32.everything().action(new Action.Other("police")))))
        .hasMessage("a filter action \"police\" can be read but not written");
    assertThat(net.list(Filters.of(veth, ONE))).isEmpty();
  }

  @Test
  void failuresNameTheFilterAndTheReason() {
    U32 any = U32.everything().flow(FAST);

    assertThatThrownBy(
            () -> net.perform(Filters.add(new FilterPosition(999, ONE, 1, EtherType.ALL), any)))
        .hasMessageContaining("add filter dev 999 parent 1: protocol all pref 1 u32: ");
    assertThatThrownBy(
            () ->
                net.perform(
                    Filters.add(
                        new FilterPosition(veth, Handle.ofQdisc(8), 1, EtherType.ALL), any)))
        .isInstanceOf(NetlinkException.class);
    assertThatThrownBy(
            () ->
                net.perform(
                    Filters.add(
                        new FilterPosition(veth, FFFF, 1, EtherType.ALL),
                        U32.everything().action(Mirred.redirectTo(999)))))
        .hasMessageContaining("ENODEV");
    assertThatThrownBy(() -> new FilterPosition(veth, ONE, 0, EtherType.ALL))
        .hasMessage("a filter's priority must be 1 to 65535, not 0");
    assertThatThrownBy(() -> new U32Table(U32Handle.ofTable(1), 3))
        .hasMessage("a u32 table has 1, 2, 4, … or 256 buckets, not 3");
    assertThatThrownBy(() -> new U32Table(U32Handle.of(1, 0, 5), 4))
        .hasMessage("1::5 is the handle of a u32 filter, not of a table");
  }

  @Test
  void matchAllGetsACleanErrorFromAKernelWithoutIt() {
    assertThatThrownBy(
            () ->
                net.perform(
                    Filters.add(
                        new FilterPosition(veth, FFFF, 1, EtherType.ALL),
                        MatchAll.of(Mirred.redirectTo(ifb)))))
        .hasMessage(
            "add filter dev %d parent ffff: protocol all pref 1 matchall: No such file or directory (ENOENT): TC classifier not found"
                .formatted(veth));
  }

  /** The only filter that is not a table. */
  private static Filter filter(List<Filter> filters) {
    return filters.stream()
        .filter(read -> !(read.classifier() instanceof U32Table))
        .findFirst()
        .orElseThrow();
  }

  private List<Filter> filters(Handle parent) {
    return net.list(Filters.of(veth, parent)).stream()
        .filter(read -> read.classifier() instanceof U32)
        .toList();
  }

  private static JsonNode options(Host host, String parent, int entry) {
    return host.json("tc", "-j", "filter", "show", "dev", "eth0", "parent", parent)
        .get(entry)
        .get("options");
  }
}
