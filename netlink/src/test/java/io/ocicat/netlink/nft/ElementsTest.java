package io.ocicat.netlink.nft;

import static io.ocicat.netlink.nft.DataType.INET_SERVICE;
import static io.ocicat.netlink.nft.DataType.IPV4_ADDR;
import static io.ocicat.netlink.nft.DataType.MARK;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import io.ocicat.netlink.linux.Errno;
import io.ocicat.netlink.linux.NetlinkException;
import io.ocicat.testkit.Eventually;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.time.Duration;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Adding, finding and deleting elements. */
@Hosts
class ElementsTest {
  private static final TableId TABLE = new TableId(TableFamily.IP, "t");
  private static final NamedSet MAP =
      NamedSet.map(TABLE.set("map"), KeyLayout.of(INET_SERVICE), KeyLayout.of(IPV4_ADDR));
  private static final NamedSet RANGES =
      NamedSet.set(TABLE.set("ranges"), IPV4_ADDR).withFlags(SetFlag.INTERVAL);
  private static final NamedSet BRIEF =
      NamedSet.set(TABLE.set("brief"), INET_SERVICE).withTimeout(Duration.ofMillis(200));
  private static final Element WEB = Element.of(Value.port(80)).to(ip("10.0.0.1"));

  private Ruleset ruleset;

  @BeforeEach
  void makeTheSets(Host host) {
    ruleset = Ruleset.of(host);
    ruleset
        .net()
        .transact(Tables.add(Table.of(TABLE)), Sets.add(MAP), Sets.add(RANGES), Sets.add(BRIEF));
  }

  @AfterEach
  void close() {
    ruleset.close();
  }

  @Test
  void aKeyLeadsToOnePlaceOnly() {
    ruleset.net().transact(Elements.add(MAP, WEB));
    ruleset.net().transact(Elements.add(MAP, WEB));
    assertFails(
        () -> ruleset.net().transact(Elements.create(MAP, WEB)),
        Errno.EEXIST,
        "create element ip t map { 80 : 10.0.0.1 }: File exists (EEXIST)");
    assertFails(
        () -> ruleset.net().transact(Elements.add(MAP, WEB.to(ip("10.0.0.2")))),
        Errno.EEXIST,
        "add element ip t map { 80 : 10.0.0.2 }: File exists (EEXIST)");
    ruleset.net().transact(Elements.delete(MAP, WEB), Elements.add(MAP, WEB.to(ip("10.0.0.2"))));
    assertThat(ruleset.net().list(Elements.in(MAP))).containsExactly(WEB.to(ip("10.0.0.2")));
  }

  @Test
  void deleteMissesWhatIsNotThereAndDestroyDoesNot() {
    assertFails(
        () -> ruleset.net().transact(Elements.delete(MAP, WEB)),
        Errno.ENOENT,
        "delete element ip t map { 80 : 10.0.0.1 }: No such file or directory (ENOENT)");
    ruleset.net().transact(Elements.destroy(MAP, WEB));
    assertThat(ruleset.net().find(Elements.get(MAP, WEB))).isEmpty();
    ruleset.net().transact(Elements.add(MAP, WEB), Elements.destroy(MAP, WEB));
    assertThat(ruleset.net().list(Elements.in(MAP))).isEmpty();

    SetId none = TABLE.set("none");
    assertFails(
        () -> ruleset.net().transact(Sets.delete(none)),
        Errno.ENOENT,
        "delete set ip t none: No such file or directory (ENOENT)");
    ruleset.net().transact(Sets.destroy(none), Sets.destroy(MAP.id()));
    assertThat(ruleset.net().find(Sets.get(MAP.id()))).isEmpty();
  }

  @Test
  void flushEmptiesASet() {
    ruleset.net().transact(Elements.add(MAP, WEB));
    ruleset.net().transact(Elements.flush(MAP.id()));
    assertThat(ruleset.net().list(Elements.in(MAP))).isEmpty();
  }

  @Test
  void listingTheElementsOfNothingSaysSo() {
    NamedSet none = NamedSet.set(TABLE.set("none"), INET_SERVICE);
    assertFails(
        () -> ruleset.net().list(Elements.in(none)),
        Errno.ENOENT,
        "list elements of set ip t none: No such file or directory (ENOENT)");
  }

  @Test
  void setsAreListedByTable() {
    ruleset.load("table ip6 other { set s { type ipv6_addr; }; }");
    assertThat(ruleset.net().list(Sets.in(TABLE))).containsExactlyInAnyOrder(MAP, RANGES, BRIEF);
    assertThat(ruleset.net().list(Sets.all())).hasSize(4);
    assertThat(ruleset.net().list(Sets.in(new TableId(TableFamily.IP, "none")))).isEmpty();
  }

  @Test
  void typesUnknownToUsAreReadAsBytes() {
    ruleset.load(
        """
        table ip t {
          set odd {
            type dscp
            elements = { cs1 }
          }
          set odder {
            typeof vlan id . ip saddr
            elements = { 5 . 10.0.0.1 }
          }
          map objects {
            type inet_service : counter
          }
        }
        """);
    NamedSet odd = ruleset.net().find(Sets.get(TABLE.set("odd"))).orElseThrow();
    assertThat(odd.key().types()).isEmpty();
    assertThat(ruleset.net().list(Elements.in(odd)))
        .containsExactly(Element.of(new Value(DataType.OPAQUE, Bytes.of((byte) 8))));
    NamedSet odder = ruleset.net().find(Sets.get(TABLE.set("odder"))).orElseThrow();
    assertThat(ruleset.net().list(Elements.in(odder))).hasSize(1);
    NamedSet objects = ruleset.net().find(Sets.get(TABLE.set("objects"))).orElseThrow();
    assertThat(objects.target()).isInstanceOf(NamedSet.Target.Objects.class);
    assertThat(ruleset.net().list(Elements.in(objects))).isEmpty();
  }

  @Test
  void anAddressIsFoundInItsRange() {
    Element inside = Element.of(prefix("10.0.0.0/8"));
    Element neighbour = Element.of(prefix("11.0.0.0/8"));
    Element top = Element.of(prefix("255.0.0.0/8"));
    ruleset
        .net()
        .transact(
            Elements.add(RANGES, inside),
            Elements.add(RANGES, neighbour),
            Elements.add(RANGES, top));
    assertThat(ruleset.net().find(Elements.get(RANGES, Element.of(ip("10.1.2.3")))))
        .contains(inside);
    assertThat(ruleset.net().find(Elements.get(RANGES, Element.of(ip("10.255.255.255")))))
        .contains(inside);
    assertThat(ruleset.net().find(Elements.get(RANGES, Element.of(ip("11.0.0.0")))))
        .contains(neighbour);
    assertThat(ruleset.net().find(Elements.get(RANGES, Element.of(ip("255.1.1.1"))))).contains(top);
    assertThat(ruleset.net().find(Elements.get(RANGES, Element.of(ip("12.0.0.1"))))).isEmpty();
  }

  @Test
  void overlappingRangesAreRefused() {
    ruleset.net().transact(Elements.add(RANGES, Element.of(prefix("10.0.0.0/8"))));
    assertFails(
        () -> ruleset.net().transact(Elements.add(RANGES, Element.of(prefix("10.1.0.0/16")))),
        Errno.EEXIST,
        "add element ip t ranges { 10.1.0.0-10.1.255.255 }: File exists (EEXIST)");
  }

  @Test
  void elementsEndByThemselves() {
    ruleset.net().transact(Elements.add(BRIEF, Element.of(Value.port(1))));
    Eventually.await(
        "the end of the element", () -> ruleset.net().list(Elements.in(BRIEF)).isEmpty());
  }

  @Test
  void whatDoesNotFitItsSetIsRefused() {
    assertThatThrownBy(() -> Elements.add(MAP, Element.of(Value.port(1))))
        .hasMessage("{ 1 } does not fit map ip t map { type inet_service : ipv4_addr }");
    assertThatThrownBy(() -> Elements.add(MAP, Element.of(ip("10.0.0.1")).to(ip("10.0.0.1"))))
        .hasMessage("10.0.0.1 is of type ipv4_addr, not inet_service");
    assertThatThrownBy(() -> Elements.add(MAP, Element.of(Value.port(1)).to(Verdict.DROP)))
        .hasMessageContaining("does not fit");
    assertThatThrownBy(() -> Elements.add(BRIEF, Element.range(ports(1), ports(2))))
        .hasMessage(
            "{ 1-2 } is a range, but set ip t brief { type inet_service } has no flag interval");
    assertThatThrownBy(
            () ->
                Elements.add(
                    RANGES, Element.range(List.of(ip("10.0.0.2")), List.of(ip("10.0.0.1")))))
        .hasMessage("{ 10.0.0.2-10.0.0.1 } ends before it starts");
    assertThatThrownBy(
            () -> Elements.add(BRIEF, Element.of(Value.port(1)).withTimeout(Duration.ofNanos(1))))
        .hasMessageContaining("cannot live for PT0.000000001S");
    assertThatThrownBy(
            () -> Sets.add(NamedSet.set(TABLE.set("s"), MARK).withFlags(SetFlag.INTERVAL)))
        .hasMessageContaining("cannot have intervals");
    assertThatThrownBy(
            () -> Sets.add(NamedSet.set(TABLE.set("s"), MARK).withFlags(SetFlag.ANONYMOUS)))
        .hasMessageContaining("cannot be anonymous");
    assertThatThrownBy(
            () ->
                KeyLayout.of(
                    DataType.IPV6_ADDR,
                    DataType.IPV6_ADDR,
                    DataType.IPV6_ADDR,
                    DataType.IPV6_ADDR,
                    MARK))
        .hasMessageContaining("needs 68 bytes of registers, there are 64");
    assertThatThrownBy(() -> KeyLayout.of()).hasMessageContaining("1 to 5 known types");
  }

  private static List<Value> ports(int port) {
    return List.of(Value.port(port));
  }

  private static Value ip(String text) {
    return Value.address(IpAddress.parse(text));
  }

  private static IpPrefix prefix(String text) {
    return IpPrefix.parse(text);
  }

  private static void assertFails(ThrowingCallable action, Errno errno, String message) {
    assertThatThrownBy(action)
        .hasMessageStartingWith(message)
        .satisfies(e -> assertThat(((NetlinkException) e).is(errno)).isTrue());
  }
}
