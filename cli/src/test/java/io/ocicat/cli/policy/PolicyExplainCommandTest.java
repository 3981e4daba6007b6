package io.ocicat.cli.policy;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.cli.Shell.Printed;
import io.ocicat.cni.CniJson;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** {@code ocicat policy explain}. */
class PolicyExplainCommandTest {
  private static final String ALLOW_WEB =
      """
      apiVersion: projectcalico.org/v3
      kind: NetworkPolicy
      metadata: {name: allow-web, namespace: shop}
      spec:
        selector: app == 'web'
        ingress:
        - {action: Allow, protocol: TCP, destination: {ports: [443]}}
        - {action: Allow, protocol: TCP, source: {selector: app == 'db'}, destination: {ports: [http]}}
      """;

  @TempDir private Path directory;
  private PolicyShell shell;

  @BeforeEach
  void aCluster() {
    shell = new PolicyShell(directory);
  }

  @Test
  void withoutPoliciesProfilesAllow() {
    Printed printed = shell.run("policy", "explain", "default/client", "shop/web");

    assertThat(printed)
        .isEqualTo(
            new Printed(
                0,
                """
                default/client (10.65.0.2) → shop/web (10.65.0.3), TCP port 80: allowed

                egress of default/client: allowed by Profile kns.default, egress[0]
                  Profile kns.default
                    egress[0] Allow: matches

                ingress of shop/web: allowed by Profile kns.shop, ingress[0]
                  Profile kns.shop
                    ingress[0] Allow: matches
                """,
                ""));
  }

  @Test
  void whatNoRuleMatchesIsDeniedAtTheEndOfTheTier() {
    shell.apply(ALLOW_WEB);

    Printed printed = shell.run("policy", "explain", "client", "shop/web");

    assertThat(printed.out())
        .endsWith(
            """
            ingress of shop/web: denied by the end of tier default, which has policies for it, none of which
                allows this
              tier default
                NetworkPolicy shop/allow-web
                  ingress[0] Allow: destination port is 80, not 443
                  ingress[1] Allow: source 10.65.0.2 (default/client) is not selected by
                      (projectcalico.org/namespace == "shop" && app == "db")
                end of the tier: what it does not allow is denied
            """);
    assertThat(printed.out().lines()).allMatch(line -> line.length() <= 100);
  }

  @Test
  void namedPortsAreThoseOfTheReceiver() {
    shell.apply(ALLOW_WEB);

    JsonNode json =
        CniJson.parse(
            shell
                .run("policy", "explain", "shop/db", "shop/web", "--port", "8080/tcp", "--json")
                .out());

    assertThat(json.path("verdict").asString()).isEqualTo("allow");
    assertThat(json.at("/ingress/decidedBy/kind").asString()).isEqualTo("NetworkPolicy");
    assertThat(json.at("/ingress/decidedBy/namespace").asString()).isEqualTo("shop");
    assertThat(json.at("/ingress/decidedBy/name").asString()).isEqualTo("allow-web");
    assertThat(json.at("/ingress/decidedBy/tier").asString()).isEqualTo("default");
    assertThat(json.at("/ingress/decidedBy/rule").asInt()).isEqualTo(1);
    assertThat(json.at("/ingress/decidedBy/action").asString()).isEqualTo("Allow");
    assertThat(json.at("/ingress/steps/0/why").asString())
        .isEqualTo("destination port is 8080, not 443");
    assertThat(json.at("/egress/decidedBy/name").asString()).isEqualTo("kns.shop");
  }

  @Test
  void tiersComeInTheirOrderAndPassToTheNext() {
    shell.apply(ALLOW_WEB);
    shell.apply(
        """
        {apiVersion: projectcalico.org/v3, kind: Tier, metadata: {name: security}, spec: {order: 10}}
        ---
        apiVersion: projectcalico.org/v3
        kind: GlobalNetworkPolicy
        metadata: {name: security.outside}
        spec:
          tier: security
          ingress:
          - {action: Deny, source: {nets: [198.51.100.0/24]}}
          - {action: Pass}
        """);

    Printed outside =
        shell.run("policy", "explain", "198.51.100.10", "shop/web", "--port", "443/tcp");
    Printed inside = shell.run("policy", "explain", "client", "shop/web", "--port", "443/tcp");

    assertThat(outside.out())
        .startsWith("198.51.100.10 → shop/web (10.65.0.3), TCP port 443: denied\n")
        .contains("denied by GlobalNetworkPolicy security.outside, ingress[0], in tier")
        .doesNotContain("egress of");
    assertThat(inside.out())
        .contains(
            """
              tier security
                GlobalNetworkPolicy security.outside
                  ingress[0] Deny: source 10.65.0.2 is not in 198.51.100.0/24
                  ingress[1] Pass: matches
              tier default
                NetworkPolicy shop/allow-web
                  ingress[0] Allow: matches
            """);
  }

  @Test
  void kubernetesPoliciesCountAsWell() {
    shell.apply(
        """
        apiVersion: networking.k8s.io/v1
        kind: NetworkPolicy
        metadata: {name: db, namespace: shop}
        spec:
          podSelector: {matchLabels: {app: db}}
          ingress: [{from: [{podSelector: {matchLabels: {app: web}}}], ports: [{port: 5432}]}]
        """);

    assertThat(shell.run("policy", "explain", "shop/web", "shop/db", "--port", "5432").out())
        .contains("allowed by KubernetesNetworkPolicy shop/db, ingress[0], in tier default");
    assertThat(shell.run("policy", "explain", "client", "shop/db", "--port", "5432").out())
        .contains("denied by the end of tier default");
  }

  @Test
  void aNodeReachesItsOwnPodsAlways() {
    shell.apply(ALLOW_WEB);

    assertThat(shell.run("policy", "explain", "192.0.2.11", "shop/web").out())
        .contains("TCP port 80: allowed")
        .contains("shop/web runs on node-1: a node always reaches its own pods");
    assertThat(shell.run("policy", "explain", "192.0.2.12", "shop/web").out())
        .contains("TCP port 80: denied");
  }

  @Test
  void anExpectationDecidesAboutTheExitCode() {
    shell.apply(ALLOW_WEB);

    assertThat(shell.run("policy", "explain", "client", "shop/web", "--expect", "deny").exitCode())
        .isZero();
    Printed other = shell.run("policy", "explain", "client", "shop/web", "--expect", "allow");
    assertThat(other.exitCode()).isEqualTo(1);
    assertThat(other.err()).isEqualTo("ocicat: expected allow\n");
  }

  @Test
  void anInvalidPolicyIsNamed() {
    shell.apply(ALLOW_WEB);
    shell.apply(
        """
        apiVersion: projectcalico.org/v3
        kind: NetworkPolicy
        metadata: {name: paths, namespace: shop}
        spec:
          selector: app == 'web'
          order: 1
          ingress: [{action: Allow, http: {methods: [GET]}}]
        """);

    assertThat(shell.run("policy", "explain", "client", "shop/web").out().replaceAll("\\s+", " "))
        .contains("NetworkPolicy shop/paths is not valid: spec.ingress[0].http cannot be enforced");
  }

  @Test
  void mistakesAreOneLine() {
    assertThat(shell.run("policy", "explain", "shop/none", "shop/web").err())
        .startsWith("ocicat: there is no pod \"shop/none\"");
    assertThat(shell.run("policy", "explain", "client", "shop/web", "--port", "http").err())
        .contains("--port \"http\" is not a port and its protocol, as in 80/tcp");
    assertThat(shell.run("policy", "explain", "client", "shop/web", "--expect", "drop").exitCode())
        .isEqualTo(2);
  }
}
