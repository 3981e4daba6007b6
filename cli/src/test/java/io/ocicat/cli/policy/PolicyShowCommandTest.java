package io.ocicat.cli.policy;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.agent.filter.PolicyDirection;
import io.ocicat.agent.filter.RuleListId;
import io.ocicat.agent.nft.PolicyTable;
import io.ocicat.cli.Shell.Printed;
import io.ocicat.cni.CniJson;
import io.ocicat.netlink.ns.NetNs;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** {@code ocicat policy show}. */
@Hosts
class PolicyShowCommandTest {
  private static final String POLICY =
      """
      apiVersion: projectcalico.org/v3
      kind: NetworkPolicy
      metadata: {name: allow-web, namespace: shop}
      spec:
        selector: app == 'web'
        order: 100
        ingress:
        - {action: Allow, protocol: TCP, source: {notNets: [192.0.2.0/24]}, destination: {ports: [80, "8000:8100"]}}
        - {action: Deny, protocol: ICMP, icmp: {type: 8}}
      """;

  @TempDir private Path directory;
  private PolicyShell shell;

  @BeforeEach
  void aCluster() {
    shell = new PolicyShell(directory);
    shell.apply(POLICY);
  }

  @Test
  void everythingThatAppliesIsShownInItsOrder() {
    assertThat(shell.run("policy", "show", "shop/web"))
        .isEqualTo(
            new Printed(
                0,
                """
                shop/web (10.65.0.3) on node-1, cali2

                ingress
                  tier default, order 1000000; what it does not decide is denied
                    NetworkPolicy shop/allow-web, order 100
                      ingress[0] Allow IPv4 TCP from not 192.0.2.0/24 to port 80,8000:8100
                      ingress[1] Deny ICMP type 8
                  Profile kns.shop, for what a rule passes
                    ingress[0] Allow
                  Profile ksa.shop.default, for what a rule passes
                    no rules

                egress
                  Profile kns.shop
                    egress[0] Allow
                  Profile ksa.shop.default
                    no rules
                  everything else is denied
                """,
                ""));
  }

  @Test
  void onThePodsNodeRulesHaveCounters(Host node) throws Exception {
    String chain = PolicyTable.chain(new RuleListId("np/shop/allow-web", PolicyDirection.INGRESS));
    Path rules = directory.resolve("rules.nft");
    Files.writeString(
        rules,
        """
        table %s {
          chain %s {
            counter packets 3 bytes 180 accept comment "%s"
            counter packets 4 bytes 240 drop comment "%s"
          }
          chain %s_0123 {
            counter packets 2 bytes 120 accept comment "%s"
          }
        }
        """
            .formatted(
                PolicyTable.ID,
                chain,
                PolicyTable.comment(0),
                PolicyTable.comment(1),
                chain,
                PolicyTable.comment(0)));
    node.exec("nft", "-f", rules.toString());

    assertThat(here(node, "policy", "show", "shop/web").out()).doesNotContain("packets");

    node.exec("ip", "link", "add", "cali2", "type", "veth", "peer", "name", "peer2");
    assertThat(here(node, "policy", "show", "shop/web").out().replaceAll("\\s+", " "))
        .contains("to port 80,8000:8100 — 5 packets, 300 bytes")
        .contains("ingress[1] Deny ICMP type 8 — 4 packets, 240 bytes");
    JsonNode json = CniJson.parse(here(node, "policy", "show", "10.65.0.3", "--json").out());
    JsonNode rule = json.at("/endpoints/0/ingress/tiers/0/policies/0/rules/1");
    assertThat(rule.path("packets").asInt()).isEqualTo(4);
    assertThat(rule.path("action").asString()).isEqualTo("Deny");
    assertThat(json.at("/endpoints/0/labels/app").asString()).isEqualTo("web");
  }

  private Printed here(Host node, String... args) throws Exception {
    try (NetNs there = NetNs.open(node.path())) {
      return there.call(() -> shell.run(args));
    }
  }

  @Test
  void anAddressOfNoPodIsRefused() {
    assertThat(shell.run("policy", "show", "198.51.100.1").err())
        .isEqualTo("ocicat: 198.51.100.1 is not the address of a pod\n");
  }
}
