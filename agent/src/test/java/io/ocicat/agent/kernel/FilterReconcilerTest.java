package io.ocicat.agent.kernel;

import static io.ocicat.agent.kernel.FilterNode.OPEN;
import static io.ocicat.agent.kernel.FilterNode.only;
import static io.ocicat.agent.kernel.FilterNode.policy;
import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.agent.filter.FilterRule;
import io.ocicat.agent.filter.PolicyAction;
import io.ocicat.agent.filter.WorkloadFilter;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.util.List;
import org.junit.jupiter.api.Test;

/** How the kernel's table follows the desired filter. */
@Hosts
class FilterReconcilerTest {

  @Test
  void aPodIsOpenOnlyWhenLinkAndRulesAreThere(Host host, Host first, Host second) {
    try (FilterNode node = new FilterNode(host)) {
      FilterPod a = node.pod(first, 1);
      FilterPod b = FilterPod.connect(node, second, 2);
      node.apply();
      assertThat(node.now().isInForce("cali1")).isTrue();
      assertThat(node.now().isInForce("cali2")).isFalse();
      assertThat(a.pingDenied(b.v4())).as("no rules for b: %s", node.table()).isTrue();
      assertThat(b.pingDenied(a.v4())).isTrue();
      assertThat(b.pingDenied("169.254.1.1")).isTrue();

      node.endpoint(b, OPEN, OPEN);
      assertThat(node.now().isInForce("cali2")).isFalse();
      node.apply();
      assertThat(node.now().isInForce("cali2")).isTrue();
      assertThat(a.ping(b.v4())).as("%s", node.table()).isTrue();
      assertThat(a.ping(b.v6())).as("%s", node.table()).isTrue();
      assertThat(a.tcp(b, b.v4(), 80)).isTrue();
      assertThat(b.udp(a, a.v6(), 53)).isTrue();

      node.filter.removeWorkload("cali2");
      node.apply();
      assertThat(a.pingDenied(b.v4())).isTrue();
    }
  }

  @Test
  void aNewLinkUnderAnOldNameIsClosed(Host host, Host first, Host second, Host third) {
    try (FilterNode node = new FilterNode(host)) {
      FilterPod a = node.pod(first, 1);
      node.pod(second, 2);
      node.apply();
      host.exec("ip", "link", "delete", "cali2");
      FilterPod again = FilterPod.connect(node, third, 2);
      assertThat(a.pingDenied(again.v4())).isTrue();
      assertThat(again.pingDenied(a.v4())).isTrue();
      node.apply();
      assertThat(a.ping(again.v4())).isTrue();
      assertThat(node.now().isInForce("cali2")).isTrue();
    }
  }

  @Test
  void aRestartWritesNothing(Host host, Host first) {
    try (FilterNode node = new FilterNode(host)) {
      FilterPod a = node.pod(first, 1);
      node.filter.setRules(policy("web"), Rules.EVERYTHING);
      Rules.SETS.forEach(
          (id, members) -> {
            node.filter.addSet(id);
            members.forEach(member -> node.filter.addMember(id, member));
          });
      node.endpoint(a, only("web"), OPEN);
      node.apply();
      assertThat(node.now().writes()).isPositive();
      String before = node.table();
      node.reconciler(true);
      node.apply();
      assertThat(node.now().writes()).as("%s", node.log).isZero();
      assertThat(node.now().isInForce("cali1")).isTrue();
      assertThat(lines(node.table())).isEqualTo(lines(before));
      assertThat(host.tryExec("nft", "delete", "table", "inet", "ocicat_policy").exitCode())
          .as("the table is ours alone")
          .isNotZero();

      node.reconciler(true);
      node.filter.removeRules(policy("web"));
      node.apply();
      assertThat(node.now().writes()).as("what changed meanwhile is written").isPositive();
    }
  }

  @Test
  void whatOthersChangeIsRestored(Host host, Host first) {
    try (FilterNode node = new FilterNode(host)) {
      node.now().shareTable();
      node.pod(first, 1);
      node.apply();
      String good = node.table();
      for (String sabotage :
          List.of(
              "flush ruleset",
              "flush chain inet ocicat_policy forward_to",
              "delete element inet ocicat_policy workloads { cali1 }",
              "add rule inet ocicat_policy check_source accept",
              "add chain inet ocicat_policy mine")) {
        host.exec("sh", "-c", "nft '%s'".formatted(sabotage));
        node.log.clear();
        node.now().resync();
        node.apply();
        assertThat(lines(node.table())).as(sabotage).isEqualTo(lines(good));
        assertThat(node.log).as(sabotage).hasSize(1);
        assertThat(node.log.getFirst()).contains("somebody else");
      }
    }
  }

  private static List<String> lines(String table) {
    return table
        .lines()
        .map(line -> line.strip().replaceAll("packets \\d+ bytes \\d+", ""))
        .sorted()
        .toList();
  }

  @Test
  void aRefusedListIsClosedAndTheRestIsInForce(Host host, Host first, Host second) {
    try (FilterNode node = new FilterNode(host)) {
      FilterPod a = node.pod(first, 1);
      FilterPod b = node.pod(second, 2);
      node.filter.setRules(policy("bad"), List.of(Rules.TOO_LONG));
      node.filter.setRules(policy("good"), List.of(FilterRule.all(0, PolicyAction.ALLOW)));
      node.endpoint(b, only("bad", "good"), OPEN);
      node.endpoint(a, only("good"), OPEN);
      node.tryApply();
      assertThat(node.now().problems())
          .hasSize(1)
          .first()
          .asString()
          .startsWith("np/default/bad ingress: its rules cannot be written");
      assertThat(node.now().isInForce("cali2")).isTrue();
      assertThat(a.pingDenied(b.v4())).isTrue();
      assertThat(b.ping(a.v4())).isTrue();

      node.filter.setRules(policy("bad"), List.of(FilterRule.all(0, PolicyAction.ALLOW)));
      node.apply();
      assertThat(a.ping(b.v4())).isTrue();
    }
  }

  @Test
  void aPolicyForManyEndpointsIsWrittenOnce(Host host) {
    try (FilterNode node = new FilterNode(host)) {
      StringBuilder make = new StringBuilder();
      for (int i = 1; i <= 46; i++) {
        make.append("ip link add cali%d type veth peer name peer%d\n".formatted(i, i));
        node.filter.setWorkload(new WorkloadFilter("cali" + i, "pod " + i, OPEN, OPEN, List.of()));
      }
      host.exec("sh", "-c", make.toString());
      node.apply();
      node.filter.setRules(policy("web"), Rules.EVERYTHING.subList(0, 3));
      for (int i = 1; i <= 46; i++) {
        node.filter.setWorkload(
            new WorkloadFilter("cali" + i, "pod " + i, only("web"), OPEN, List.of()));
      }
      node.apply();
      assertThat(node.now().lastRuleOperations()).isLessThanOrEqualTo(15);
      long writes = node.now().writes();
      node.filter.setRules(policy("web"), Rules.EVERYTHING.subList(0, 2));
      node.apply();
      assertThat(node.now().writes() - writes).isLessThanOrEqualTo(6);
    }
  }

  @Test
  void felixTablesGoWhenOursComes(Host host, Host first) {
    try (FilterNode node = new FilterNode(host)) {
      host.exec("nft", "add table ip calico; add table ip6 calico; add table ip kube-proxy");
      node.pod(first, 1);
      node.now().takeOver();
      node.apply();
      assertThat(host.exec("nft", "list", "tables").stdout())
          .contains("ocicat_policy", "kube-proxy")
          .doesNotContain("calico\n");
    }
  }
}
