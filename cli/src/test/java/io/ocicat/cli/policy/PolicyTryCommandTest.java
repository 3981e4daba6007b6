package io.ocicat.cli.policy;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.cli.Shell.Printed;
import io.ocicat.cni.CniJson;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** {@code ocicat policy try}. */
class PolicyTryCommandTest {
  private static final String ONLY_WEB =
      """
      apiVersion: networking.k8s.io/v1
      kind: NetworkPolicy
      metadata: {name: db, namespace: shop}
      spec:
        podSelector: {matchLabels: {app: db}}
        ingress: [{from: [{podSelector: {matchLabels: {app: web}}}], ports: [{port: 5432}]}]
      """;

  @TempDir private Path directory;
  private PolicyShell shell;

  @BeforeEach
  void aCluster() {
    shell = new PolicyShell(directory);
  }

  @Test
  void onlyWhatChangesIsShownAndNothingIsWritten() {
    Printed printed = shell.runWith(ONLY_WEB, "policy", "try", "-f", "-");

    assertThat(printed)
        .isEqualTo(
            new Printed(
                0,
                """
                default/client → shop/db: denied instead of allowed, by the end of tier default, which has policies
                    for it, none of which allows this
                  TCP port 5432, TCP port 8080, other TCP ports, UDP, ICMP echo
                shop/web → shop/db: denied instead of allowed, by the end of tier default, which has policies for
                    it, none of which allows this
                  TCP port 8080, other TCP ports, UDP, ICMP echo
                2 of 6 pairs of pods change
                """,
                ""));
    assertThat(shell.run("get", "knp", "-A", "-o", "name").out()).isEmpty();
  }

  @Test
  void aDeletionIsTriedAsWell() {
    shell.apply(ONLY_WEB);

    JsonNode json =
        CniJson.parse(
            shell.runWith(ONLY_WEB, "policy", "try", "--delete", "-f", "-", "--json").out());

    assertThat(json.path("changedPairs").asInt()).isEqualTo(2);
    assertThat(json.at("/changes/0/from").asString()).isEqualTo("default/client");
    assertThat(json.at("/changes/0/before").asString()).isEqualTo("deny");
    assertThat(json.at("/changes/0/after").asString()).isEqualTo("allow");
    assertThat(json.at("/changes/0/decidedBy/name").asString()).isEqualTo("kns.shop");
    assertThat(shell.run("get", "knp", "-A", "-o", "name").out()).isNotEmpty();
  }

  @Test
  void whatChangesNothingSaysSo() {
    shell.apply(ONLY_WEB);

    assertThat(shell.runWith(ONLY_WEB, "policy", "try", "-f", "-").out())
        .isEqualTo("nothing changes between the 3 pods\n");
  }

  /** A namespace's labels decide who is selected, although no policy changes. */
  @Test
  void labelsOfANamespaceAreTried() {
    shell.apply(
        """
        apiVersion: projectcalico.org/v3
        kind: NetworkPolicy
        metadata: {name: db, namespace: shop}
        spec:
          selector: app == 'db'
          ingress: [{action: Allow, source: {namespaceSelector: team == 'sales'}}]
        """);

    assertThat(
            shell
                .runWith(
                    "{apiVersion: v1, kind: Namespace, metadata: {name: default, labels: {team: sales}}}",
                    "policy",
                    "try",
                    "-f",
                    "-")
                .out())
        .contains("default/client → shop/db: allowed instead of denied")
        .endsWith("1 of 6 pairs of pods change\n");
  }

  @Test
  void anInvalidDocumentIsRefused() {
    Printed printed = shell.runWith(ONLY_WEB.replace("5432", "0"), "policy", "try", "-f", "-");

    assertThat(printed.exitCode()).isEqualTo(1);
    assertThat(printed.err()).contains("spec.ingress[0].ports[0].port must be 1–65535, not 0");
  }
}
