package io.ocicat.netlink.nft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.netlink.NetlinkRequest;
import io.ocicat.netlink.linux.Errno;
import io.ocicat.netlink.linux.NetlinkException;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.util.ArrayList;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

@Hosts
class TablesAndChainsTest {
  private static final TableId INET = new TableId(TableFamily.INET, "ocicat");
  private static final TableId IP = new TableId(TableFamily.IP, "four");
  private static final TableId ARP = new TableId(TableFamily.ARP, "a");
  private static final TableId BRIDGE = new TableId(TableFamily.BRIDGE, "nat");
  private static final TableId NETDEV = new TableId(TableFamily.NETDEV, "dev");

  private static final List<Table> TABLES =
      List.of(
          Table.of(INET).withComment("kept by ocicat"),
          Table.of(IP),
          Table.of(ARP),
          Table.of(BRIDGE),
          Table.of(NETDEV));

  private static final List<Chain> CHAINS =
      List.of(
          Chain.regular(INET.chain("pods")).withComment("one jump per pod"),
          Chain.base(INET.chain("forward"), ChainType.FILTER, Hook.FORWARD, ChainPriority.FILTER)
              .withPolicy(ChainPolicy.DROP)
              .withComment("what is routed"),
          Chain.base(INET.chain("pre"), ChainType.NAT, Hook.PREROUTING, ChainPriority.DSTNAT),
          Chain.base(INET.chain("post"), ChainType.NAT, Hook.POSTROUTING, ChainPriority.SRCNAT),
          Chain.base(INET.chain("in"), ChainType.FILTER, Hook.INPUT, ChainPriority.RAW),
          Chain.base(INET.chain("ingress"), ChainType.FILTER, Hook.INGRESS, ChainPriority.FILTER)
              .withDevices("one"),
          Chain.base(IP.chain("out"), ChainType.ROUTE, Hook.OUTPUT, ChainPriority.MANGLE),
          Chain.base(IP.chain("dnat_out"), ChainType.NAT, Hook.OUTPUT, -100),
          Chain.base(ARP.chain("in"), ChainType.FILTER, Hook.INPUT, 7),
          Chain.base(
              BRIDGE.chain("PREROUTING"),
              ChainType.FILTER,
              Hook.PREROUTING,
              ChainPriority.BRIDGE_DSTNAT),
          Chain.base(NETDEV.chain("both"), ChainType.FILTER, Hook.INGRESS, ChainPriority.FILTER)
              .withDevices("one", "two"),
          Chain.base(NETDEV.chain("out"), ChainType.FILTER, Hook.EGRESS, ChainPriority.FILTER)
              .withDevices("two"));

  private static final String TEXT =
      """
      table inet ocicat {
        comment "kept by ocicat"
        chain pods {
          comment "one jump per pod"
        }
        chain forward {
          comment "what is routed"
          type filter hook forward priority filter; policy drop;
        }
        chain pre {
          type nat hook prerouting priority dstnat; policy accept;
        }
        chain post {
          type nat hook postrouting priority srcnat; policy accept;
        }
        chain in {
          type filter hook input priority raw; policy accept;
        }
        chain ingress {
          type filter hook ingress device "one" priority filter; policy accept;
        }
      }
      table ip four {
        chain out {
          type route hook output priority mangle; policy accept;
        }
        chain dnat_out {
          type nat hook output priority -100; policy accept;
        }
      }
      table arp a {
        chain in {
          type filter hook input priority filter + 7; policy accept;
        }
      }
      table bridge nat {
        chain PREROUTING {
          type filter hook prerouting priority dstnat; policy accept;
        }
      }
      table netdev dev {
        chain both {
          type filter hook ingress devices = { one, two } priority filter; policy accept;
        }
        chain out {
          type filter hook egress device "two" priority filter; policy accept;
        }
      }
      """;

  @Test
  void nftPrintsThemAndStoresTheSameFromTheText(Host ours, Host theirs) {
    for (Host host : List.of(ours, theirs)) {
      host.exec("ip", "link", "add", "one", "type", "veth", "peer", "name", "two");
    }
    try (Ruleset written = Ruleset.of(ours);
        Ruleset loaded = Ruleset.of(theirs)) {
      written.net().transact(requests());
      assertThat(written.printed()).containsExactlyElementsOf(Ruleset.lines(TEXT));
      loaded.load(TEXT);
      assertThat(written.json()).isEqualTo(loaded.json());
      for (Ruleset ruleset : List.of(written, loaded)) {
        assertThat(ruleset.net().list(Tables.all())).containsExactlyInAnyOrderElementsOf(TABLES);
        assertThat(ruleset.net().list(Chains.all())).containsExactlyInAnyOrderElementsOf(CHAINS);
      }
    }
  }

  @Test
  void theyAreFoundByFamilyTableAndName(Host host) {
    host.exec("ip", "link", "add", "one", "type", "veth", "peer", "name", "two");
    try (Ruleset ruleset = Ruleset.of(host)) {
      ruleset.net().transact(requests());
      assertThat(ruleset.net().list(Tables.all(TableFamily.ARP))).containsExactly(Table.of(ARP));
      assertThat(ruleset.net().find(Tables.get(INET))).contains(TABLES.getFirst());
      assertThat(ruleset.net().find(Tables.get(new TableId(TableFamily.IP6, "ocicat")))).isEmpty();
      assertThat(ruleset.net().list(Chains.in(IP))).containsExactlyElementsOf(CHAINS.subList(6, 8));
      assertThat(ruleset.net().list(Chains.in(new TableId(TableFamily.IP, "none")))).isEmpty();
      assertThat(ruleset.net().find(Chains.get(INET.chain("forward")))).contains(CHAINS.get(1));
      assertThat(ruleset.net().find(Chains.get(INET.chain("backward")))).isEmpty();
    }
  }

  @Test
  void addIsContentWithWhatIsThereAndCreateIsNot(Host host) {
    Chain.Regular chain = Chain.regular(IP.chain("c"));
    try (Ruleset ruleset = Ruleset.of(host)) {
      ruleset.net().transact(Tables.create(Table.of(IP)), Chains.create(chain));
      ruleset.net().transact(Tables.add(Table.of(IP)), Chains.add(chain));
      assertFails(
          () -> ruleset.net().transact(Tables.create(Table.of(IP))),
          Errno.EEXIST,
          "create table ip four: File exists (EEXIST)");
      assertFails(
          () -> ruleset.net().transact(Chains.create(chain)),
          Errno.EEXIST,
          "create chain ip four c: File exists (EEXIST)");
    }
  }

  @Test
  void deleteMissesWhatIsNotThereAndDestroyDoesNot(Host host) {
    try (Ruleset ruleset = Ruleset.of(host)) {
      assertFails(
          () -> ruleset.net().transact(Tables.delete(IP)),
          Errno.ENOENT,
          "delete table ip four: No such file or directory (ENOENT)");
      ruleset.net().transact(Tables.destroy(IP));

      ruleset.net().transact(Tables.add(Table.of(IP)));
      assertFails(
          () -> ruleset.net().transact(Chains.delete(IP.chain("c"))),
          Errno.ENOENT,
          "delete chain ip four c: No such file or directory (ENOENT)");
      ruleset.net().transact(Chains.destroy(IP.chain("c")));

      ruleset.net().transact(Chains.add(Chain.regular(IP.chain("c"))));
      ruleset.net().transact(Chains.destroy(IP.chain("c")), Tables.destroy(IP));
      assertThat(ruleset.printed()).isEmpty();
    }
  }

  @Test
  void addAndDeleteInOneTransactionIsDestroyOfOldKernels(Host host) {
    try (Ruleset ruleset = Ruleset.of(host)) {
      for (int i = 0; i < 2; i++) {
        ruleset.net().transact(Tables.add(Table.of(IP)), Tables.delete(IP));
        assertThat(ruleset.net().list(Tables.all())).isEmpty();
        ruleset.net().transact(Tables.add(Table.of(IP)), Chains.add(Chain.regular(IP.chain("c"))));
      }
    }
  }

  @Test
  void addChangesThePolicyOfABaseChain(Host host) {
    Chain.Base chain =
        Chain.base(IP.chain("in"), ChainType.FILTER, Hook.INPUT, ChainPriority.FILTER);
    try (Ruleset ruleset = Ruleset.of(host)) {
      ruleset.net().transact(Tables.add(Table.of(IP)), Chains.add(chain));
      ruleset.net().transact(Chains.add(chain.withPolicy(ChainPolicy.DROP)));
      assertThat(ruleset.net().find(Chains.get(chain.id())))
          .contains(chain.withPolicy(ChainPolicy.DROP));
    }
  }

  @Test
  void aChainInUseIsBusy(Host host) {
    ChainId used = IP.chain("used");
    try (Ruleset ruleset = Ruleset.of(host)) {
      ruleset
          .net()
          .transact(
              Tables.add(Table.of(IP)),
              Chains.add(Chain.regular(used)),
              Chains.add(Chain.regular(IP.chain("user"))),
              Rules.append(Rule.of(IP.chain("user"), Statement.jump(used))));
      assertFails(
          () -> ruleset.net().transact(Chains.delete(used)),
          Errno.EBUSY,
          "delete chain ip four used: Device or resource busy (EBUSY)");
      ruleset.net().transact(Rules.flush(IP.chain("user")), Chains.delete(used));
    }
  }

  @Test
  void namesCommentsAndHooksThatNftCouldNotReadAreRefused() {
    assertThatThrownBy(() -> Tables.add(Table.of(new TableId(TableFamily.IP, "a b"))))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("\"a b\" cannot name a table");
    assertThatThrownBy(() -> Chains.add(Chain.regular(IP.chain(""))))
        .hasMessageContaining("\"\" cannot name a chain");
    assertThatThrownBy(() -> Tables.add(Table.of(new TableId(TableFamily.IP, "x".repeat(256)))))
        .hasMessageContaining("1 to 255");
    assertThatThrownBy(() -> new TableId(TableFamily.IP, "a\0b")).hasMessageContaining("zero");
    assertThatThrownBy(() -> Tables.add(Table.of(IP).withComment("x".repeat(129))))
        .hasMessageContaining("has 129 bytes, nft reads at most 128 back");
    assertThatThrownBy(() -> Tables.add(Table.of(IP).withComment("say \"hi\"")))
        .hasMessageContaining("double quotes");
    Chain.Base chain = Chain.base(ARP.chain("c"), ChainType.FILTER, Hook.POSTROUTING, 0);
    assertThatThrownBy(() -> Chains.add(chain)).hasMessage("family arp has no hook postrouting");
  }

  private static List<NetlinkRequest> requests() {
    List<NetlinkRequest> requests = new ArrayList<>();
    TABLES.forEach(table -> requests.add(Tables.add(table)));
    CHAINS.forEach(chain -> requests.add(Chains.add(chain)));
    return requests;
  }

  private static void assertFails(ThrowingCallable action, Errno errno, String message) {
    assertThatThrownBy(action)
        .hasMessageStartingWith(message)
        .satisfies(e -> assertThat(((NetlinkException) e).is(errno)).isTrue());
  }
}
