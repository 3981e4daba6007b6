package io.ocicat.plugins.iptables;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.ip.IpAddress;
import io.ocicat.netlink.IpFamily;
import io.ocicat.netlink.NetlinkSocket;
import io.ocicat.netlink.Protocol;
import io.ocicat.netlink.nft.Expression;
import io.ocicat.netlink.nft.InstalledRule;
import io.ocicat.netlink.nft.Rules;
import io.ocicat.netlink.nft.TableFamily;
import io.ocicat.netlink.nft.TableId;
import io.ocicat.netlink.ns.NetNs;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Rules as we write and read them, against the iptables command itself. */
@Hosts
class RuleFormsTest {
  private static final IpAddress V4 = IpAddress.parse("10.88.0.2");
  private static final IpAddress V6 = IpAddress.parse("fd00:88::2");

  private static final List<IptablesRule> RULES =
      List.of(
          IptablesRule.to(IptablesRule.RETURN),
          IptablesRule.to("OTHER").commented("CNI firewall plugin rules"),
          IptablesRule.to("OTHER").commented("plain"),
          IptablesRule.to("OTHER").commented("with \"quotes\" and \\ slashes | and more"),
          IptablesRule.to(IptablesRule.DROP).comingBy("br0").leavingBy("br0"),
          IptablesRule.to("OTHER").comingBy("cni-podman0").notLeavingBy("cni-podman0"),
          IptablesRule.to("OTHER").comingBy("fifteen-letters").notLeavingBy("a"),
          IptablesRule.to(IptablesRule.DROP).leavingBy("eth0.7").commented("c"),
          IptablesRule.to(IptablesRule.ACCEPT).ofKnownConnections());

  private static final List<IptablesRule> RULES_4 =
      List.of(
          IptablesRule.to(IptablesRule.ACCEPT).from(V4),
          IptablesRule.to(IptablesRule.ACCEPT).towards(V4).ofKnownConnections(),
          IptablesRule.to(IptablesRule.DROP).from(V4).towards(V4).comingBy("br0").commented("all"));

  private static final List<IptablesRule> RULES_6 =
      List.of(
          IptablesRule.to(IptablesRule.ACCEPT).from(V6),
          IptablesRule.to(IptablesRule.ACCEPT).towards(V6).ofKnownConnections());

  @Test
  void whatIptablesWritesIsReadAndWrittenAlike(Host host) {
    for (IpFamily family : IpFamily.values()) {
      String iptables = command(family);
      host.exec(iptables, "-N", "OTHER");
      host.exec(iptables, "-N", "MINE");
      for (IptablesRule rule : rules(family)) {
        List<String> argv = new ArrayList<>(List.of(iptables, "-A", "MINE"));
        argv.addAll(LegacyForm.words(rule.toString()));
        host.exec(argv.toArray(String[]::new));
      }

      List<InstalledRule> installed = installed(host, family);

      assertThat(installed).map(NftForm::read).containsExactlyElementsOf(present(rules(family)));
      assertThat(installed)
          .map(InstalledRule::expressions)
          .containsExactlyElementsOf(rules(family).stream().map(NftForm::write).toList());
    }
  }

  @Test
  void iptablesReadsWhatWeWrite(Host host) {
    for (IpFamily family : IpFamily.values()) {
      try (NetNs namespace = NetNs.open(host.path());
          NetlinkSocket netfilter = NetlinkSocket.open(Protocol.NETFILTER, namespace)) {
        NftTable table = new NftTable(netfilter, family);
        TableDraft draft = table.read(List.of("MINE"));
        draft.ensureChain(NftTable.FORWARD);
        draft.ensureChain("OTHER");
        draft.ensureChain("MINE");
        rules(family).forEach(rule -> draft.append("MINE", rule));
        netfilter.transact(table.requests(draft));
      }
      String iptables = command(family);

      assertThat(host.exec(iptables, "-S").stdout().lines())
          .startsWith("-P INPUT ACCEPT", "-P FORWARD ACCEPT", "-P OUTPUT ACCEPT")
          .endsWith(rules(family).stream().map(rule -> "-A MINE " + rule).toArray(String[]::new));
      for (IptablesRule rule : rules(family)) {
        List<String> argv = new ArrayList<>(List.of(iptables, "-D", "MINE"));
        argv.addAll(LegacyForm.words(rule.toString()));
        host.exec(argv.toArray(String[]::new));
      }
      assertThat(installed(host, family)).isEmpty();
    }
  }

  @Test
  void theOldCommandPrintsThemTheSameWay(Host host) {
    for (IpFamily family : IpFamily.values()) {
      String iptables = command(family) + "-legacy";
      host.exec(iptables, "-N", "OTHER");
      host.exec(iptables, "-N", "MINE");
      for (IptablesRule rule : rules(family)) {
        List<String> argv = new ArrayList<>(List.of(iptables, "-A", "MINE"));
        argv.addAll(LegacyForm.words(rule.toString()));
        host.exec(argv.toArray(String[]::new));
      }

      List<String> printed = host.exec(iptables, "-S", "MINE").stdout().lines().skip(1).toList();

      assertThat(printed)
          .map(line -> line.substring("-A MINE ".length()))
          .containsExactlyElementsOf(rules(family).stream().map(IptablesRule::toString).toList())
          .map(LegacyForm::read)
          .containsExactlyElementsOf(present(rules(family)));
    }
  }

  @Test
  void rulesOfOtherKindsAreNone(Host host) {
    List<String> others =
        List.of(
            "-s 10.0.0.0/8 -j ACCEPT",
            "! -s 10.0.0.1/32 -j ACCEPT",
            "-s 10.0.0.1/32 -g OTHER",
            "-s 10.0.0.1/32",
            "-i eth+ -j ACCEPT",
            "! -i eth0 -j ACCEPT",
            "-m conntrack --ctstate NEW -j ACCEPT",
            "-p tcp -m tcp --dport 80 -j ACCEPT",
            "-j REJECT --reject-with icmp-port-unreachable",
            "-m mark --mark 0x1 -j DROP");
    host.exec("iptables", "-N", "OTHER");
    host.exec("iptables", "-N", "MINE");
    for (String rule : others) {
      List<String> argv = new ArrayList<>(List.of("iptables", "-A", "MINE"));
      argv.addAll(LegacyForm.words(rule));
      host.exec(argv.toArray(String[]::new));
    }

    assertThat(installed(host, IpFamily.V4))
        .hasSameSizeAs(others)
        .map(NftForm::read)
        .allMatch(Optional::isEmpty);
    assertThat(others).map(LegacyForm::read).allMatch(Optional::isEmpty);
  }

  @Test
  void countersDoNotMatter(Host host) {
    host.exec("iptables", "-N", "MINE");
    host.exec("iptables", "-A", "MINE", "-s", "10.88.0.2", "-j", "ACCEPT", "-c", "5", "7");

    List<InstalledRule> installed = installed(host, IpFamily.V4);

    assertThat(installed.getFirst().expressions()).contains(new Expression.Counter(5, 7));
    assertThat(installed).map(NftForm::read).containsExactly(Optional.of(RULES_4.getFirst()));
  }

  private static List<IptablesRule> rules(IpFamily family) {
    List<IptablesRule> rules = new ArrayList<>(RULES);
    rules.addAll(family == IpFamily.V4 ? RULES_4 : RULES_6);
    return rules;
  }

  private static List<Optional<IptablesRule>> present(List<IptablesRule> rules) {
    return rules.stream().map(Optional::of).toList();
  }

  private static String command(IpFamily family) {
    return family == IpFamily.V4 ? "iptables" : "ip6tables";
  }

  private static List<InstalledRule> installed(Host host, IpFamily family) {
    try (NetNs namespace = NetNs.open(host.path());
        NetlinkSocket netfilter = NetlinkSocket.open(Protocol.NETFILTER, namespace)) {
      TableFamily nft = family == IpFamily.V4 ? TableFamily.IP : TableFamily.IP6;
      return netfilter.list(Rules.in(new TableId(nft, "filter").chain("MINE")));
    }
  }
}
