package io.ocicat.netlink.nft;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.ip.IpAddress;
import io.ocicat.netlink.Garbage;
import io.ocicat.netlink.MessageWriter;
import io.ocicat.netlink.NetlinkMessage;
import io.ocicat.netlink.NetlinkQuery;
import io.ocicat.netlink.NetlinkRequest;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Whatever the bytes, every reader ends with a value or a clean exception. */
@Hosts
class NftGarbageTest {
  private static final RuleCases CASES = new RuleCases(TableFamily.INET);
  private static final NamedSet RANGES =
      NamedSet.set(CASES.table.set("ranges"), DataType.IPV4_ADDR)
          .withFlags(SetFlag.INTERVAL)
          .withComment("ranges");
  private static final NamedSet BOXES =
      NamedSet.set(CASES.table.set("boxes"), DataType.IPV4_ADDR, DataType.INET_SERVICE)
          .withFlags(SetFlag.INTERVAL)
          .withTimeout(Duration.ofHours(1));
  private static final NamedSet VERDICTS =
      NamedSet.verdictMap(CASES.table.set("decisions"), DataType.MARK);
  private static final NamedSet MAP =
      NamedSet.map(
          CASES.table.set("map"),
          KeyLayout.of(DataType.INET_PROTO, DataType.INET_SERVICE),
          KeyLayout.of(DataType.IPV4_ADDR, DataType.INET_SERVICE));

  private Ruleset ruleset;

  @BeforeEach
  void writeAllThereIs(Host host) {
    ruleset = Ruleset.of(host);
    List<NetlinkRequest> requests = new ArrayList<>();
    requests.add(Tables.add(Table.of(CASES.table).withComment("all there is")));
    CASES.sets().forEach(set -> requests.add(Sets.add(set)));
    List.of(RANGES, BOXES, VERDICTS, MAP).forEach(set -> requests.add(Sets.add(set)));
    requests.add(Chains.add(Chain.regular(CASES.chain).withComment("many rules")));
    requests.add(Chains.add(Chain.regular(CASES.other)));
    requests.add(Chains.add(Chain.base(CASES.table.chain("in"), ChainType.FILTER, Hook.INPUT, 0)));
    requests.add(
        Chains.add(
            Chain.base(CASES.table.chain("dev"), ChainType.FILTER, Hook.INGRESS, 0)
                .withDevices("lo")));
    CASES.all().forEach(one -> requests.add(Rules.append(one.rule())));
    Value first = Value.address(IpAddress.parse("10.0.0.1"));
    Value last = Value.address(IpAddress.parse("10.0.0.9"));
    requests.add(Elements.add(RANGES, Element.range(List.of(first), List.of(last))));
    requests.add(Elements.add(BOXES, Element.of(first, Value.port(1)).withComment("box")));
    requests.add(
        Elements.add(VERDICTS, Element.of(Value.mark(1)).to(Verdict.jump(CASES.other.name()))));
    requests.add(
        Elements.add(
            MAP,
            Element.of(Value.protocol(L4Protocol.TCP), Value.port(80)).to(first, Value.port(1))));
    ruleset.net().transact(requests);
  }

  @AfterEach
  void close() {
    ruleset.close();
  }

  @Test
  void tables() {
    Garbage.feed(answers(Nft.GET_TABLE, _ -> {}), Table::read);
  }

  @Test
  void chains() {
    Garbage.feed(answers(Nft.GET_CHAIN, _ -> {}), Chain::read);
  }

  @Test
  void rules() {
    Garbage.feed(answers(Nft.GET_RULE, _ -> {}), InstalledRule::read);
  }

  @Test
  void sets() {
    Garbage.feed(answers(Nft.GET_SET, _ -> {}), NamedSet::read);
  }

  @Test
  void elements() {
    for (NamedSet set : List.of(RANGES, BOXES, VERDICTS, MAP)) {
      List<NetlinkMessage> real =
          answers(
              Nft.GET_ELEMENT,
              out ->
                  out.text(Elements.TABLE, set.id().table().name())
                      .text(Elements.SET, set.id().name()));
      Garbage.feed(real, message -> ElementWire.read(set, List.of(message, message)));
    }
  }

  private List<NetlinkMessage> answers(int type, Consumer<MessageWriter> attributes) {
    List<NetlinkMessage> real =
        ruleset
            .net()
            .list(
                NetlinkQuery.all(
                    type,
                    Nft.body(TableFamily.INET.number(), attributes),
                    message -> message,
                    () -> "list raw"));
    assertThat(real).isNotEmpty();
    return real;
  }
}
