package io.ocicat.cli.policy;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.agent.nft.PolicyTable;
import io.ocicat.cli.Shell.Printed;
import io.ocicat.cni.CniJson;
import io.ocicat.netlink.ns.NetNs;
import io.ocicat.testkit.Background;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** {@code ocicat policy watch}, with packets that the kernel logs. */
@Hosts
class PolicyWatchCommandTest {
  @TempDir private Path directory;
  private PolicyShell shell;

  @BeforeEach
  void aCluster() {
    shell = new PolicyShell(directory);
  }

  private Printed here(Host node, String... args) throws Exception {
    try (NetNs there = NetNs.open(node.path())) {
      return there.call(() -> shell.run(args));
    }
  }

  /** A node that denies what comes in from an address of a pod. */
  private void deny(Host node, Host client) throws Exception {
    client.connect(node, "10.65.0.2/24", "10.65.0.3/24");
    Path rules = directory.resolve("rules.nft");
    Files.writeString(
        rules,
        """
        table %1$s {
          chain input {
            type filter hook input priority filter; policy accept;
            ip saddr 10.65.0.2 tcp dport 80 log group %2$d prefix "by np/shop/allow-web ingress rule 2" drop
            ip saddr 10.65.0.2 icmp type echo-request log group %2$d prefix "at the end of tier default ingress" drop
          }
        }
        """
            .formatted(PolicyTable.ID, PolicyTable.DENIED_GROUP));
    node.exec("nft", "-f", rules.toString());
  }

  @Test
  void deniedPacketsAreShownWithTheRule(Host node, Host client) throws Exception {
    deny(node, client);
    try (Background _ =
        client.start(
            "bash", "-c", "while true; do timeout 1 bash -c '</dev/tcp/10.65.0.3/80'; done")) {
      Printed printed = here(node, "policy", "watch", "--denied", "--count", "2");

      assertThat(printed.exitCode()).as(printed.err()).isZero();
      assertThat(printed.out().lines())
          .hasSize(2)
          .allMatch(
              line ->
                  line.matches(
                      "\\d\\d:\\d\\d:\\d\\d default/client:\\d+ → shop/web:80 TCP denied by"
                          + " NetworkPolicy shop/allow-web, ingress\\[2\\]"));
    }
  }

  @Test
  void asJsonEachIsALine(Host node, Host client) throws Exception {
    deny(node, client);
    try (Background _ = client.start("ping", "-i0.2", "10.65.0.3")) {
      Printed printed = here(node, "policy", "watch", "--denied", "--count", "1", "--json");

      JsonNode line = CniJson.parse(printed.out());
      assertThat(line.at("/from/name").asString()).isEqualTo("default/client");
      assertThat(line.at("/to/address").asString()).isEqualTo("10.65.0.3");
      assertThat(line.path("protocol").asString()).isEqualTo("ICMP");
      assertThat(line.path("reason").asString())
          .isEqualTo("denied at the end of tier default ingress");
    }
  }

  @Test
  void itEndsAfterItsTimeAndSaysWhenNothingIsEnforced(Host node) throws Exception {
    Printed printed = here(node, "policy", "watch", "--denied", "--for", "100ms");

    assertThat(printed.exitCode()).isZero();
    assertThat(printed.out()).isEmpty();
    assertThat(printed.err())
        .isEqualTo(
            "ocicat: no policy is enforced here (there is no table %s): \"ocicat node\" does it\n"
                .formatted(PolicyTable.ID));
  }

  @Test
  void mistakesAreRefused(Host node) throws Exception {
    assertThat(here(node, "policy", "watch").exitCode()).isEqualTo(2);
    assertThat(here(node, "policy", "watch", "--denied", "--for", "soon").err())
        .contains("--for \"soon\" is not a duration, as in 10s");
  }
}
