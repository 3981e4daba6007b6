package io.ocicat.netlink.nft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.ip.IpAddress;
import io.ocicat.netlink.NetlinkRequest;
import io.ocicat.netlink.linux.Errno;
import io.ocicat.netlink.linux.NetlinkException;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/**
 * Transactions apply completely or not at all, whatever their size, and a failure names its object.
 */
@Hosts
class TransactionTest {
  private static final TableId TABLE = new TableId(TableFamily.IP, "ocicat");
  private static final ChainId CHAIN = TABLE.chain("hostports");
  private static final NamedSet MAP =
      NamedSet.map(
          TABLE.set("targets"),
          KeyLayout.of(DataType.INET_PROTO, DataType.INET_SERVICE),
          KeyLayout.of(DataType.IPV4_ADDR, DataType.INET_SERVICE));

  /** Fewer than the attempts of one listing, each of which may be interrupted. */
  private static final int TRANSACTIONS = 15;

  private Ruleset ruleset;

  @BeforeEach
  void open(Host host) {
    ruleset = Ruleset.of(host);
  }

  @AfterEach
  void close() {
    ruleset.close();
  }

  @Test
  void oneThatRestsOnAnOldReadingIsRefused() {
    ruleset.net().transact(base());
    int read = ruleset.net().find(Generation.current()).orElseThrow().id();
    ruleset.net().transact(Elements.add(MAP, element(1)));

    assertThatThrownBy(() -> ruleset.net().transactIf(read, List.of(Elements.add(MAP, element(2)))))
        .isInstanceOfSatisfying(
            NetlinkException.class, e -> assertThat(e.errno()).isEqualTo(Errno.ERESTART));
    assertThat(ruleset.net().list(Elements.in(MAP))).containsExactly(element(1));

    int again = ruleset.net().find(Generation.current()).orElseThrow().id();
    ruleset.net().transactIf(again, List.of(Elements.add(MAP, element(2))));
    assertThat(ruleset.net().list(Elements.in(MAP))).hasSize(2);
  }

  @Test
  void twoThousandElementsTravelTogether() {
    List<Element> elements = IntStream.rangeClosed(1, 2000).mapToObj(i -> element(i)).toList();
    List<NetlinkRequest> requests = new ArrayList<>(base());
    elements.forEach(element -> requests.add(Elements.add(MAP, element)));

    ruleset.net().transact(requests);

    assertThat(ruleset.net().list(Elements.in(MAP))).containsExactlyInAnyOrderElementsOf(elements);
    JsonNode listed = ruleset.host().json("nft", "-j", "list", "map", "ip", "ocicat", "targets");
    assertThat(listed.at("/nftables/1/map/elem").size()).isEqualTo(2000);

    ruleset
        .net()
        .transact(elements.stream().map(element -> Elements.delete(MAP, element)).toList());
    assertThat(ruleset.net().list(Elements.in(MAP))).isEmpty();
  }

  @Test
  void oneBadMessageAndNothingOfTheBatchIsThere() {
    List<NetlinkRequest> requests = new ArrayList<>(base());
    requests.add(Elements.add(MAP, element(1)));
    requests.add(Rules.append(Rule.of(CHAIN, Statement.jump(TABLE.chain("missing")))));
    requests.add(Chains.add(Chain.regular(TABLE.chain("after"))));

    assertThatThrownBy(() -> ruleset.net().transact(requests))
        .isInstanceOf(NetlinkException.class)
        .hasMessageStartingWith(
            "add rule ip ocicat hostports jump missing: No such file or directory (ENOENT)")
        .satisfies(e -> assertThat(e.getSuppressed()).isEmpty());
    assertThat(ruleset.printed()).isEmpty();
    assertThat(ruleset.net().list(Tables.all())).isEmpty();
  }

  @Test
  void aBadLastMessageIsNamedToo() {
    List<NetlinkRequest> requests = new ArrayList<>(base());
    requests.add(Sets.delete(TABLE.set("missing")));
    assertThatThrownBy(() -> ruleset.net().transact(requests))
        .hasMessageStartingWith("delete set ip ocicat missing: No such file or directory (ENOENT)");
    assertThat(ruleset.printed()).isEmpty();
  }

  @Test
  void everyFailureIsToldTheFirstOneFirst() {
    List<NetlinkRequest> requests =
        List.of(
            Tables.add(Table.of(TABLE)),
            Chains.delete(TABLE.chain("one")),
            Chains.delete(TABLE.chain("two")));
    assertThatThrownBy(() -> ruleset.net().transact(requests))
        .hasMessageStartingWith("delete chain ip ocicat one: ")
        .satisfies(
            e ->
                assertThat(e.getSuppressed())
                    .singleElement()
                    .satisfies(
                        other ->
                            assertThat(other)
                                .hasMessageStartingWith("delete chain ip ocicat two")));
  }

  @Test
  void aBatchInWhichEverythingFailsStillSaysWhat() {
    List<NetlinkRequest> requests =
        IntStream.rangeClosed(1, 5000).mapToObj(i -> Elements.delete(MAP, element(i))).toList();
    assertThatThrownBy(() -> ruleset.net().transact(requests))
        .hasMessageStartingWith(
            "delete element ip ocicat targets { tcp . 1 : 10.0.0.1 . 8080 }: "
                + "No such file or directory (ENOENT)")
        .satisfies(e -> assertThat(((NetlinkException) e).is(Errno.ENOENT)).isTrue())
        .satisfies(e -> assertThat(e.getSuppressed()).as("not all fit").hasSizeLessThan(4999));
    ruleset.net().transact(base());
    assertThat(ruleset.net().list(Chains.in(TABLE))).hasSize(1);
  }

  @Test
  void loopsAreRefused() {
    ChainId back = TABLE.chain("back");
    List<NetlinkRequest> requests = new ArrayList<>(base());
    requests.add(Chains.add(Chain.base(TABLE.chain("in"), ChainType.FILTER, Hook.INPUT, 0)));
    requests.add(Chains.add(Chain.regular(back)));
    requests.add(Rules.append(Rule.of(TABLE.chain("in"), Statement.jump(CHAIN))));
    requests.add(Rules.append(Rule.of(CHAIN, Statement.jump(back))));
    requests.add(Rules.append(Rule.of(back, Statement.jump(CHAIN))));
    assertThatThrownBy(() -> ruleset.net().transact(requests))
        .isInstanceOf(NetlinkException.class)
        .hasMessageContaining("ip ocicat");
    assertThat(ruleset.printed()).isEmpty();
  }

  @Test
  void aListingUnderChangesIsOneConsistentState(Host host) throws InterruptedException {
    List<NetlinkRequest> requests = new ArrayList<>(base());
    IntStream.rangeClosed(1, 3000).forEach(i -> requests.add(Elements.add(MAP, element(i))));
    ruleset.net().transact(requests);
    try (Ruleset other = Ruleset.of(host)) {
      Thread writer =
          Thread.ofPlatform()
              .start(
                  () -> {
                    for (int i = 0; i < TRANSACTIONS; i++) {
                      // Each state has 3000 elements: one is deleted, one added.
                      other
                          .net()
                          .transact(
                              Elements.delete(MAP, element(1 + i)),
                              Elements.add(MAP, element(3001 + i)));
                    }
                  });
      while (writer.isAlive()) {
        assertThat(ruleset.net().list(Elements.in(MAP))).hasSize(3000);
      }
      writer.join();
    }
  }

  private static List<NetlinkRequest> base() {
    return List.of(Tables.add(Table.of(TABLE)), Chains.add(Chain.regular(CHAIN)), Sets.add(MAP));
  }

  private static Element element(int port) {
    return Element.of(Value.protocol(L4Protocol.TCP), Value.port(port))
        .to(Value.address(IpAddress.ofV4(0x0a000000 + port)), Value.port(8080));
  }
}
