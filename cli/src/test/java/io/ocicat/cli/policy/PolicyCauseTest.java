package io.ocicat.cli.policy;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.agent.nft.PolicyTable;
import io.ocicat.cli.check.Discrepancy;
import io.ocicat.datastore.config.DatastoreConfig;
import io.ocicat.ip.IpAddress;
import io.ocicat.netlink.ns.NetNs;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Policy as a cause that {@code why} and {@code connectivity} name. */
@Hosts
class PolicyCauseTest {
  private static final IpAddress CLIENT = IpAddress.parse("10.65.0.2");
  private static final IpAddress WEB = IpAddress.parse("10.65.0.3");

  @TempDir private Path directory;
  private PolicyShell shell;

  @BeforeEach
  void aCluster() {
    shell = new PolicyShell(directory);
    shell.apply(
        """
        {apiVersion: projectcalico.org/v3, kind: NetworkPolicy, metadata: {name: web, namespace: shop},
         spec: {selector: app == 'web', types: [Ingress, Egress],
                ingress: [{action: Allow, protocol: TCP, destination: {ports: [80]}}]}}
        """);
  }

  private PolicyCause cause() {
    return new PolicyCause(
        DatastoreConfig.ofEnvironment(
            Map.of("OCICAT_STATE_DIR", directory.resolve("state").toString())));
  }

  @Test
  void whatIsDeniedIsNamedWhereItIsEnforced(Host node) throws Exception {
    try (NetNs there = NetNs.open(node.path())) {
      assertThat(there.call(() -> cause().ofPing(CLIENT, WEB))).isEmpty();
      node.exec("nft", "add", "table", "inet", PolicyTable.ID.name());

      Optional<Discrepancy> denied = there.call(() -> cause().ofPing(CLIENT, WEB));

      assertThat(denied)
          .contains(
              new Discrepancy(
                  Discrepancy.Kind.POLICY,
                  "policy for ingress of shop/web",
                  "denies ICMP echo by the end of tier default, which has policies for it, none of"
                      + " which allows this",
                  "",
                  "if it should not: `ocicat policy explain default/client shop/web --port icmp`"));
      assertThat(there.call(() -> cause().ofTcp(CLIENT, WEB, 80))).isEmpty();
      assertThat(there.call(() -> cause().ofTcp(WEB, CLIENT, 80)).orElseThrow().object())
          .isEqualTo("policy for egress of shop/web");
    }
  }

  @Test
  void whatLimitsAPodIsSaid() {
    assertThat(cause().about("shop/web"))
        .containsExactly(
            "policy limits its ingress: NetworkPolicy shop/web",
            "policy denies all its egress: NetworkPolicy shop/web",
            "see `ocicat policy show shop/web`");
    assertThat(cause().about("default/client")).isEmpty();
  }

  @Test
  void aDatastoreThatWasNeverUsedIsNotCreated() {
    Path nowhere = directory.resolve("nowhere");

    assertThat(
            new PolicyCause(
                    DatastoreConfig.ofEnvironment(Map.of("OCICAT_STATE_DIR", nowhere.toString())))
                .about("shop/web"))
        .isEmpty();
    assertThat(nowhere).doesNotExist();
  }
}
