package io.ocicat.plugins.iptables;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.netlink.IpFamily;
import io.ocicat.plugins.net.NetnsSockets;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Chains that commands created are removed, in both backends; other chains stay. */
@Hosts
class IptablesChainsTest {
  private static final String CHAIN = "CNI-5145007e2a8415ce07579739";
  private static final String OTHER = "CNI-2bbe0c48b91a7d1b8a6753a8";

  private NetnsSockets net;

  @BeforeEach
  void open(Host host) {
    net = NetnsSockets.of(host.path());
  }

  @AfterEach
  void close() {
    net.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"iptables-nft", "ip6tables-nft", "iptables-legacy", "ip6tables-legacy"})
  void aChainGoesWithAllThatLeadsThere(String tool, Host host) {
    chain(host, tool, CHAIN, "mynet", "ctr1");
    chain(host, tool, OTHER, "mynet", "ctr2");
    host.exec(tool, "-t", "nat", "-A", "POSTROUTING", "-p", "tcp", "-j", CHAIN);
    host.exec(tool, "-t", "nat", "-A", "OUTPUT", "-p", "udp", "-j", "RETURN");
    List<String> before = rules(host, tool);

    IptablesChains.remove(net, "nat", CHAIN);

    assertThat(rules(host, tool))
        .containsExactlyElementsOf(before.stream().filter(rule -> !rule.contains(CHAIN)).toList())
        .anyMatch(rule -> rule.endsWith("-j " + OTHER))
        .anyMatch(rule -> rule.startsWith("-A OUTPUT"));
  }

  @Test
  void whatIsNotThereIsGone(Host host) {
    IptablesChains.remove(net, "nat", CHAIN);
    chain(host, "iptables-nft", OTHER, "mynet", "ctr2");
    chain(host, "iptables-legacy", OTHER, "mynet", "ctr2");
    IptablesChains.remove(net, "nat", CHAIN);
    IptablesChains.remove(net, "nat", CHAIN);

    assertThat(rules(host, "iptables-nft")).anyMatch(rule -> rule.endsWith("-j " + OTHER));
    assertThat(rules(host, "iptables-legacy")).anyMatch(rule -> rule.endsWith("-j " + OTHER));
  }

  /** Looking with the legacy command would create the table that it looks for. */
  @Test
  void nothingComesIntoBeingByLooking(Host host) {
    IptablesChains.remove(net, "nat", CHAIN);
    IptablesChains.collect(net, "nat", "CNI-", "name: \"mynet\" id: \"", Set.of());

    assertThat(host.exec("nft", "list", "ruleset").stdout()).isEmpty();
    assertThat(host.exec("cat", "/proc/self/net/ip_tables_names").stdout()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"iptables-nft", "ip6tables-nft", "iptables-legacy"})
  void chainsOfGoneContainersOfOneNetworkAreCollected(String tool, Host host) {
    chain(host, tool, "CNI-aaaa", "mynet", "gone");
    chain(host, tool, "CNI-bbbb", "mynet", "alive");
    chain(host, tool, "CNI-cccc", "mynet2", "gone");
    chain(host, tool, "CNI-DN-dd", "mynet", "gone");
    chain(host, tool, "KEEP-eeee", "mynet", "gone");
    host.exec(tool, "-t", "nat", "-N", "CNI-ffff");

    IptablesChains.collect(
        net, "nat", "CNI-", "name: \"mynet\" id: \"", Set.of("CNI-bbbb", "CNI-DN-dd"));

    assertThat(rules(host, tool).stream().filter(rule -> rule.startsWith("-N")))
        .containsExactlyInAnyOrder(
            "-N CNI-bbbb", "-N CNI-cccc", "-N CNI-DN-dd", "-N KEEP-eeee", "-N CNI-ffff");
  }

  @ParameterizedTest
  @ValueSource(strings = {"iptables-nft", "iptables-legacy"})
  void aChainIsReachedWhenARuleLeadsThere(String tool, Host host) {
    assertThat(IptablesChains.isReached(net, IpFamily.V4, "nat", CHAIN)).isFalse();
    host.exec(tool, "-t", "nat", "-N", CHAIN);
    assertThat(IptablesChains.isReached(net, IpFamily.V4, "nat", CHAIN)).isFalse();
    host.exec(tool, "-t", "nat", "-A", "POSTROUTING", "-j", CHAIN);

    assertThat(IptablesChains.isReached(net, IpFamily.V4, "nat", CHAIN)).isTrue();
    assertThat(IptablesChains.isReached(net, IpFamily.V6, "nat", CHAIN)).isFalse();
  }

  @Test
  void savedLinesAreUnderstood() {
    String line =
        "-A POSTROUTING -s 10.1.2.5/32 -m comment --comment \"name: \\\"a\\\\b\\\" id: \\\"c\\\"\""
            + " -j CNI-x";
    assertThat(LegacyStore.comment(line)).isEqualTo("name: \"a\\b\" id: \"c\"");
    assertThat(LegacyStore.target(line)).isEqualTo("CNI-x");
    assertThat(LegacyStore.comment("-A X -m comment --comment word -j Y")).isEqualTo("word");
    assertThat(LegacyStore.comment("-A X -j Y")).isEmpty();
    assertThat(LegacyStore.target("-A X -p tcp")).isEmpty();
  }

  private static void chain(Host host, String tool, String chain, String network, String id) {
    String comment = "name: \"%s\" id: \"%s\"".formatted(network, id);
    host.exec(tool, "-t", "nat", "-N", chain);
    host.exec(
        tool,
        "-t",
        "nat",
        "-A",
        chain,
        "-p",
        "tcp",
        "-m",
        "comment",
        "--comment",
        comment,
        "-j",
        "ACCEPT");
    host.exec(
        tool,
        "-t",
        "nat",
        "-A",
        "POSTROUTING",
        "-p",
        "udp",
        "-m",
        "comment",
        "--comment",
        comment,
        "-j",
        chain);
  }

  private static List<String> rules(Host host, String tool) {
    return host.exec(tool, "-t", "nat", "-S").stdout().lines().toList();
  }
}
