package io.ocicat.netlink.nft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import io.ocicat.netlink.linux.Errno;
import io.ocicat.netlink.linux.NetlinkException;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Positions of rules, finding them again, and deleting them. */
@Hosts
class RulesTest {
  private static final TableId TABLE = new TableId(TableFamily.INET, "t");
  private static final ChainId CHAIN = TABLE.chain("c");
  private static final ChainId OTHER = TABLE.chain("other");

  private Ruleset ruleset;

  @BeforeEach
  void makeTheChains(Host host) {
    ruleset = Ruleset.of(host);
    ruleset
        .net()
        .transact(
            Tables.add(Table.of(TABLE)),
            Chains.add(Chain.regular(CHAIN)),
            Chains.add(Chain.regular(OTHER)));
  }

  @AfterEach
  void close() {
    ruleset.close();
  }

  @Test
  void rulesStandWhereTheyWerePut() {
    ruleset.net().transact(Rules.append(named("b")), Rules.append(named("d")));
    ruleset
        .net()
        .transact(
            Rules.insert(named("a")),
            Rules.appendAfter(handleOf("b"), named("c")),
            Rules.insertBefore(handleOf("b"), named("a2")),
            Rules.append(named("e")));
    assertThat(comments()).containsExactly("a", "a2", "b", "c", "d", "e");

    ruleset.net().transact(Rules.replace(handleOf("c"), named("c2")));
    assertThat(comments()).containsExactly("a", "a2", "b", "c2", "d", "e");
  }

  @Test
  void rulesAreFoundByCommentAndDeletedByHandle() {
    ruleset
        .net()
        .transact(
            Rules.append(named("mine")), Rules.append(named("yours")), Rules.append(named("mine")));
    List<InstalledRule> mine =
        ruleset.net().list(Rules.in(CHAIN).where(rule -> rule.comment().equals("mine")));
    assertThat(mine).hasSize(2);

    ruleset.net().transact(mine.stream().map(Rules::delete).toList());

    assertThat(comments()).containsExactly("yours");
    assertThatThrownBy(() -> ruleset.net().transact(Rules.delete(mine.getFirst())))
        .hasMessageStartingWith(
            "delete rule inet t c handle %d: No such file or directory (ENOENT)"
                .formatted(mine.getFirst().handle()))
        .satisfies(e -> assertThat(((NetlinkException) e).is(Errno.ENOENT)).isTrue());
    ruleset.net().transact(Rules.destroy(CHAIN, mine.getFirst().handle()));
  }

  @Test
  void aNoteIsReadBackAndShownToNobody() {
    String note = "n".repeat(122);
    String comment = "c".repeat(128);
    ruleset.net().transact(Rules.append(named(comment).withNote(note)));
    ruleset.net().transact(Rules.append(named("").withNote("alone")));

    assertThat(ruleset.net().list(Rules.in(CHAIN)))
        .map(InstalledRule::note, InstalledRule::comment)
        .containsExactly(tuple(note, comment), tuple("alone", ""));
    assertThat(String.join("\n", ruleset.printed()))
        .contains(comment)
        .doesNotContain("nnn", "alone");
    assertThatThrownBy(() -> Rules.append(named(comment).withNote(note + "n")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("251 bytes, the kernel keeps 250");
  }

  @Test
  void aRuleIsFoundByHandle() {
    ruleset.net().transact(Rules.append(named("one")), Rules.append(named("two")));
    InstalledRule two = ruleset.net().list(Rules.in(CHAIN)).getLast();
    assertThat(ruleset.net().find(Rules.get(CHAIN, two.handle()))).contains(two);
    assertThat(ruleset.net().find(Rules.get(CHAIN, 999))).isEmpty();
    assertThat(ruleset.net().list(Rules.in(TABLE.chain("none")))).isEmpty();
    assertThat(ruleset.net().list(Rules.in(new TableId(TableFamily.IP, "none")))).isEmpty();
  }

  @Test
  void flushEmptiesAChainOrAllOfATable() {
    Rule elsewhere = Rule.of(OTHER, Statement.drop());
    ruleset.net().transact(Rules.append(named("one")), Rules.append(elsewhere));
    ruleset.net().transact(Rules.flush(CHAIN), Rules.append(named("two")));
    assertThat(comments()).containsExactly("two");
    assertThat(ruleset.net().list(Rules.in(OTHER))).hasSize(1);

    ruleset.net().transact(Rules.flush(TABLE));
    assertThat(ruleset.net().list(Rules.in(TABLE))).isEmpty();
    assertThat(ruleset.net().list(Chains.in(TABLE))).hasSize(2);
  }

  @Test
  void whatThisLibraryDoesNotKnowComesOutOpaqueAndGoesBackAsItWas() {
    ruleset.load(
        """
        add rule inet t c quota over 10 mbytes drop
        add rule inet t c meta cpu 1 meta priority set 1:2
        add rule inet t c ip dscp set cs1
        add rule inet t c tcp option maxseg size set rt mtu
        add rule inet t c numgen random mod 2 vmap { 0 : accept, 1 : drop }
        """);
    List<InstalledRule> theirs = ruleset.net().list(Rules.in(CHAIN));
    assertThat(theirs).hasSize(5);
    assertThat(theirs.getFirst().expressions().getFirst())
        .isInstanceOfSatisfying(
            Expression.Opaque.class, quota -> assertThat(quota.name()).isEqualTo("quota"));

    for (InstalledRule rule : theirs.subList(0, 3)) {
      Clause[] clauses = rule.expressions().toArray(Clause[]::new);
      ruleset.net().transact(Rules.append(Rule.of(OTHER, clauses)));
    }
    assertThat(ruleset.net().list(Rules.in(OTHER)).stream().map(InstalledRule::expressions))
        .containsExactlyElementsOf(
            theirs.subList(0, 3).stream().map(InstalledRule::expressions).toList());
  }

  @Test
  void whatIptablesWroteCanBeRead(Host host) {
    host.exec("iptables", "-N", "CNI-FORWARD");
    host.exec(
        "iptables",
        "-A",
        "CNI-FORWARD",
        "-d",
        "10.0.0.2/32",
        "-m",
        "conntrack",
        "--ctstate",
        "RELATED,ESTABLISHED",
        "-m",
        "comment",
        "--comment",
        "cni",
        "-j",
        "ACCEPT");
    ChainId chain = new TableId(TableFamily.IP, "filter").chain("CNI-FORWARD");
    assertThat(ruleset.net().list(Rules.in(chain)))
        .singleElement()
        .satisfies(
            rule ->
                assertThat(rule.expressions())
                    .startsWith(
                        new Expression.Payload(PayloadHeader.NETWORK, 16, 4, Register.R1),
                        new Expression.Compare(
                            Register.R1,
                            Comparison.EQ,
                            Bytes.of((byte) 10, (byte) 0, (byte) 0, (byte) 2)))
                    .anySatisfy(
                        expression -> assertThat(expression).isInstanceOf(Expression.Opaque.class))
                    .endsWith(new Expression.Decide(Verdict.ACCEPT)));
  }

  @Test
  void countersAreReadBack() {
    ruleset.net().transact(Rules.append(Rule.of(CHAIN, new Expression.Counter(3, 1L << 40))));
    assertThat(ruleset.printed()).contains("counter packets 3 bytes 1099511627776");
    assertThat(ruleset.net().list(Rules.in(CHAIN)).getFirst().expressions())
        .containsExactly(new Expression.Counter(3, 1L << 40));
  }

  @Test
  void theGenerationGrowsWithEveryTransaction() {
    Generation before = ruleset.net().find(Generation.current()).orElseThrow();
    ruleset.net().transact(Rules.append(named("one")));
    Generation after = ruleset.net().find(Generation.current()).orElseThrow();
    assertThat(after.id()).isEqualTo(before.id() + 1);
    assertThat(after.pid()).isPositive();
  }

  @Test
  void contradictionsAreRefusedBeforeTheyAreSent() {
    IpPrefix four = IpPrefix.parse("10.0.0.0/8");
    IpPrefix six = IpPrefix.parse("fd00::/8");
    ChainId ip = new TableId(TableFamily.IP, "t").chain("c");

    assertThatThrownBy(() -> Rules.append(Rule.of(ip, Match.source(six))))
        .hasMessage("ip6 never matches in a rule of family ip about ip packets");
    assertThatThrownBy(
            () -> Rules.append(Rule.of(CHAIN, Match.source(four), Match.destination(six))))
        .hasMessage("ip6 never matches in a rule of family inet about ip packets");
    assertThatThrownBy(
            () ->
                Rules.append(
                    Rule.of(
                        CHAIN,
                        Match.destinationPort(L4Protocol.TCP, 80),
                        Match.destinationPort(L4Protocol.UDP, 80))))
        .hasMessage("udp never matches in a rule of family inet about tcp packets");
    assertThatThrownBy(
            () -> Rules.append(Rule.of(ip, Nat.dnat(NatRange.of(IpAddress.parse("fd00::1"))))))
        .hasMessage("\"dnat to fd00::1\" never happens in a rule about ip packets");
    assertThatThrownBy(
            () -> Rules.append(Rule.of(ip, Nat.dnat(NatRange.of(IpAddress.parse("10.0.0.1"), 80)))))
        .hasMessageContaining("needs a condition before it that asks for tcp, udp or sctp");
    assertThatThrownBy(
            () ->
                Rules.append(
                    Rule.of(
                        CHAIN,
                        Match.eq(PacketField.ARP_OPERATION, Value.number(DataType.ARP_OP, 1)))))
        .hasMessage("a table of family inet sees no arp packets");
  }

  @Test
  void clausesThatDoNotFitTheirTypesAreRefused() {
    NamedSet ports = NamedSet.set(TABLE.set("ports"), DataType.INET_SERVICE);
    assertThatThrownBy(() -> Match.in(ports, PacketField.L4PROTO, PacketField.TH_DPORT))
        .hasMessage(
            "\"meta l4proto . th dport\" is no key of set inet t ports { type inet_service }");
    assertThatThrownBy(() -> Statement.vmap(ports, PacketField.TCP_DPORT))
        .hasMessageContaining("holds no verdicts");
    assertThatThrownBy(() -> Nat.dnat(ports, List.of(PacketField.TCP_DPORT)))
        .hasMessageContaining("holds no addresses");
    assertThatThrownBy(() -> Match.eq(PacketField.TCP_DPORT, Value.mark(80)))
        .hasMessage("\"tcp dport\" is of type inet_service, 0x00000050 is of type mark");
    assertThatThrownBy(() -> Match.within(PacketField.IP_SADDR, IpPrefix.parse("fd00::/8")))
        .hasMessageContaining("\"ip saddr\" is of type ipv4_addr");
    assertThatThrownBy(() -> Match.destinationPort(L4Protocol.ICMP, 8))
        .hasMessage("no ports of icmp: use tcp, udp or sctp");
    assertThatThrownBy(() -> Match.inInterface("sixteen-letters-"))
        .hasMessageContaining("cannot name an interface");
    assertThatThrownBy(() -> Statement.log("x".repeat(128)))
        .hasMessageContaining("has 128 bytes, nft reads at most 127 back");
    assertThatThrownBy(() -> Statement.limit(0, ChronoUnit.SECONDS))
        .hasMessageContaining("no limit of 0 packets");
    assertThatThrownBy(() -> Statement.limit(1, ChronoUnit.MONTHS))
        .hasMessageContaining("in units of Months");
    assertThatThrownBy(() -> Value.port(65536))
        .hasMessage("inet_service 65536 is out of range: 0 to 65535");
    assertThatThrownBy(() -> NatRange.Ports.of(90, 80)).hasMessageContaining("90-80 are no ports");
  }

  private static Rule named(String comment) {
    return Rule.of(CHAIN, Statement.accept()).withComment(comment);
  }

  private List<String> comments() {
    return ruleset.net().list(Rules.in(CHAIN)).stream().map(InstalledRule::comment).toList();
  }

  private long handleOf(String comment) {
    return ruleset.net().list(Rules.in(CHAIN)).stream()
        .filter(rule -> rule.comment().equals(comment))
        .findFirst()
        .orElseThrow()
        .handle();
  }
}
