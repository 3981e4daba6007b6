package io.ocicat.netlink.nft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.ip.IpAddress;
import io.ocicat.netlink.RequestOutcome;
import io.ocicat.netlink.linux.Errno;
import io.ocicat.netlink.linux.NetlinkException;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Tables that belong to a socket, and transactions whose refusals are told apart. */
@Hosts
class OwnedTableTest {
  private static final TableId ID = new TableId(TableFamily.INET, "owned");
  private static final Table OWNED = Table.of(ID).withFlags(TableFlag.OWNER, TableFlag.PERSIST);
  private static final ChainId CHAIN = ID.chain("c");

  @Test
  void nobodyElseChangesItWhileItsSocketIsOpen(Host host) {
    try (Ruleset ours = Ruleset.of(host)) {
      ours.net().transact(Tables.add(OWNED), Chains.add(Chain.regular(CHAIN)));
      assertThat(ours.net().find(Tables.get(ID))).contains(OWNED);
      assertThat(host.tryExec("nft", "delete", "table", "inet", "owned").exitCode()).isNotZero();
      host.exec("nft", "flush", "ruleset");
      assertThat(ours.net().find(Chains.get(CHAIN))).isPresent();
      try (Ruleset others = Ruleset.of(host)) {
        assertThatThrownBy(() -> others.net().transact(Tables.add(OWNED)))
            .isInstanceOfSatisfying(
                NetlinkException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EPERM));
      }
    }
    try (Ruleset next = Ruleset.of(host)) {
      assertThat(next.net().find(Chains.get(CHAIN))).as("the table stayed").isPresent();
      next.net().transact(Tables.add(OWNED));
      assertThat(host.tryExec("nft", "delete", "table", "inet", "owned").exitCode()).isNotZero();
      next.net().transact(Tables.delete(ID));
    }
  }

  @Test
  void theRefusedRequestOfATransactionIsKnown(Host host) {
    try (Ruleset ruleset = Ruleset.of(host)) {
      Rule good = Rule.of(CHAIN, Statement.accept());
      Rule bad = Rule.of(CHAIN, Statement.jump(ID.chain("missing")));
      List<RequestOutcome> outcomes =
          ruleset
              .net()
              .tryTransact(
                  List.of(
                      Tables.add(Table.of(ID)),
                      Chains.add(Chain.regular(CHAIN)),
                      Rules.append(good),
                      Rules.append(bad),
                      Rules.append(good)));
      assertThat(outcomes).hasSize(5);
      assertThat(outcomes.get(3).failure()).isPresent();
      assertThat(outcomes.get(2).failure()).isEmpty();
      assertThat(ruleset.net().find(Tables.get(ID))).isEmpty();
    }
  }

  @Test
  void manyElementsTravelInFewRequests(Host host) {
    try (Ruleset ruleset = Ruleset.of(host)) {
      NamedSet set = NamedSet.set(ID.set("s"), DataType.IPV6_ADDR).withFlags(SetFlag.INTERVAL);
      List<Element> elements =
          IntStream.range(0, 2000)
              .mapToObj(i -> Element.of(Value.address(IpAddress.ofV6(0xfd00L << 48, 2L * i))))
              .toList();
      ruleset.net().transact(Tables.add(Table.of(ID)), Sets.add(set));
      assertThat(Elements.addAll(set, elements)).hasSizeLessThan(10);
      ruleset.net().transact(Elements.addAll(set, elements));
      assertThat(ruleset.net().list(Elements.in(set))).containsExactlyElementsOf(elements);
      ruleset.net().transact(Elements.deleteAll(set, elements.subList(0, 1999)));
      assertThat(ruleset.net().list(Elements.in(set))).containsExactly(elements.getLast());
    }
  }

  @Test
  void countsDoNotTellRulesApart() {
    assertThat(Expression.withoutCounts(List.of(new Expression.Counter(5, 300))))
        .isEqualTo(Rule.of(CHAIN, Statement.counter()).expressions());
  }
}
