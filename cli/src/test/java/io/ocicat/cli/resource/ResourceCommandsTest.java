package io.ocicat.cli.resource;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.cli.DatastoreShell;
import io.ocicat.cli.Shell.Printed;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** create, apply, replace, patch, delete and label, on the embedded datastore. */
class ResourceCommandsTest {
  private static final String POOL =
      """
      apiVersion: projectcalico.org/v3
      kind: IPPool
      metadata:
        name: blue
      spec:
        cidr: 10.65.0.0/16
      """;
  private static final String TIER_AND_POLICY =
      """
      apiVersion: projectcalico.org/v3
      kind: Tier
      metadata: {name: ops}
      spec: {order: 100}
      ---
      apiVersion: projectcalico.org/v3
      kind: NetworkPolicy
      metadata:
        name: ops.web
      spec:
        tier: ops
        selector: app == 'web'
      """;

  @TempDir Path directory;
  private DatastoreShell shell = DatastoreShell.embedded(Path.of("/nonexistent"));

  @BeforeEach
  void open() {
    shell = DatastoreShell.embedded(directory.resolve("state"));
  }

  private void succeeds(Printed printed, String out) {
    assertThat(printed).isEqualTo(new Printed(0, out, ""));
  }

  private String value(String... args) {
    Printed printed = shell.run(args);
    assertThat(printed.exitCode()).as(printed.err()).isZero();
    return printed.out().strip();
  }

  @Test
  void createsFromStandardInputAndShowsIt() {
    succeeds(
        shell.runWith(POOL, "create", "-f", "-"), "Successfully created 1 'IPPool' resource(s)\n");
    assertThat(value("get", "ippool", "blue", "-o", "jsonpath={.spec.cidr} {.spec.blockSize}"))
        .isEqualTo("10.65.0.0/16 26");
  }

  @Test
  void whatExistsIsNotCreatedAgain() {
    shell.runWith(POOL, "create", "-f", "-");
    Printed again = shell.runWith(POOL, "create", "-f", "-");
    assertThat(again.exitCode()).isEqualTo(1);
    assertThat(again.err()).isEqualTo("ocicat: stdin: document 1: IPPool blue exists already\n");
    succeeds(
        shell.runWith(POOL, "create", "--skip-exists", "-f", "-"),
        "Successfully created 0 resource(s)\nSkipped 1 resource(s)\n");
  }

  @Test
  void directoriesListsAndJsonAreRead() throws IOException {
    Path files = directory.resolve("files");
    Files.createDirectories(files.resolve("deeper"));
    Files.writeString(files.resolve("a.yaml"), POOL);
    Files.writeString(
        files.resolve("b.json"),
        """
        {"kind": "IPReservationList", "apiVersion": "projectcalico.org/v3", "items": [
          {"kind": "IPReservation", "apiVersion": "projectcalico.org/v3",
           "metadata": {"name": "gw"}, "spec": {"reservedCIDRs": ["10.65.0.1/32"]}}]}
        """);
    Files.writeString(files.resolve("notes.txt"), "not for us");
    Files.writeString(files.resolve("deeper/c.yml"), TIER_AND_POLICY);
    succeeds(shell.run("apply", "-f", files.toString()), "Successfully applied 2 resource(s)\n");
    succeeds(
        shell.run("apply", "-R", "-f", files.toString()), "Successfully applied 4 resource(s)\n");
    assertThat(value("get", "np", "-o", "name")).isEqualTo("networkpolicy/ops.web");
  }

  @Test
  void applyGivesWhatExistsTheSpecAndLabelsOfTheDocument() {
    shell.runWith(POOL, "apply", "-f", "-");
    String uid = value("get", "pool", "blue", "-o", "jsonpath={.metadata.uid}");
    value("label", "pool", "blue", "a=b");
    value("patch", "pool", "blue", "-p", "{\"spec\": {\"disabled\": true}}");
    succeeds(
        shell.runWith(
            POOL.replace("name: blue", "name: blue\n  labels: {c: d}"), "apply", "-f", "-"),
        "Successfully applied 1 'IPPool' resource(s)\n");
    assertThat(
            value(
                "get",
                "pool",
                "blue",
                "-o",
                "jsonpath={.metadata.uid} {.metadata.labels} {.spec.disabled}"))
        .isEqualTo(uid + " {\"c\":\"d\"}");
  }

  @Test
  void aRevisionInTheDocumentMustBeTheStoredOne() {
    shell.runWith(POOL, "apply", "-f", "-");
    String current = value("get", "pool", "blue", "-o", "yaml");
    succeeds(
        shell.runWith(current, "replace", "-f", "-"),
        "Successfully replaced 1 'IPPool' resource(s)\n");
    Printed stale = shell.runWith(current, "replace", "-f", "-");
    assertThat(stale.exitCode()).isEqualTo(1);
    assertThat(stale.err()).contains("as metadata.resourceVersion says").hasLineCount(1);
  }

  @Test
  void replaceNeedsWhatIsThere() {
    Printed printed = shell.runWith(POOL, "replace", "-f", "-");
    assertThat(printed)
        .isEqualTo(new Printed(1, "", "ocicat: stdin: document 1: IPPool blue does not exist\n"));
  }

  @Test
  void deletesByNameAndByDocument() {
    shell.runWith(POOL + "---\n" + TIER_AND_POLICY, "apply", "-f", "-");
    succeeds(
        shell.run("delete", "ippool", "blue"), "Successfully deleted 1 'IPPool' resource(s)\n");
    assertThat(shell.run("delete", "ippool", "blue"))
        .isEqualTo(new Printed(1, "", "ocicat: IPPool blue does not exist\n"));
    succeeds(
        shell.run("delete", "ippool", "blue", "--skip-not-exists"),
        "Successfully deleted 0 resource(s)\nSkipped 1 resource(s)\n");
    succeeds(
        shell.runWith(TIER_AND_POLICY, "delete", "-f", "-"),
        "Successfully deleted 2 resource(s)\n");
  }

  @Test
  void severalAreDeletedAllOrNone() {
    shell.runWith(POOL, "apply", "-f", "-");
    Printed printed = shell.run("delete", "ippool", "blue", "green");
    assertThat(printed.exitCode()).isEqualTo(1);
    assertThat(printed.err())
        .isEqualTo(
            """
            ocicat: IPPool green does not exist
            ocicat: nothing was deleted: correct 1 of 2 resources first
            """);
    assertThat(value("get", "ippool", "-o", "name")).isEqualTo("ippool/blue");
  }

  @Test
  void mergePatchesReplaceAndRemove() {
    shell.runWith(POOL, "apply", "-f", "-");
    succeeds(
        shell.run("patch", "ippool", "blue", "-p", "spec: {natOutgoing: true}"),
        "Successfully patched 1 'IPPool' resource\n");
    assertThat(value("get", "ippool", "-o", "jsonpath={.items[0].spec.natOutgoing}"))
        .isEqualTo("true");
    value("patch", "ippool", "blue", "-t", "merge", "-p", "{\"spec\": {\"natOutgoing\": null}}");
    assertThat(value("get", "ippool", "-o", "jsonpath={.items[0].spec.natOutgoing}")).isEmpty();
  }

  @Test
  void jsonPatchesAreDoneStepByStep() {
    shell.runWith(POOL, "apply", "-f", "-");
    value(
        "patch",
        "ippool",
        "blue",
        "--type",
        "json",
        "-p",
        """
        [{"op": "test", "path": "/spec/cidr", "value": "10.65.0.0/16"},
         {"op": "add", "path": "/metadata/labels", "value": {"a": "b"}},
         {"op": "remove", "path": "/spec/allowedUses/1"},
         {"op": "add", "path": "/spec/allowedUses/-", "value": "Tunnel"},
         {"op": "copy", "from": "/metadata/labels/a", "path": "/metadata/labels/x~1y"},
         {"op": "replace", "path": "/spec/nodeSelector", "value": "rack == 'a'"}]
        """);
    assertThat(
            value(
                "get",
                "ippool",
                "blue",
                "-o",
                "jsonpath={.spec.allowedUses} {.spec.nodeSelector} {.metadata.labels}"))
        .isEqualTo("[\"Workload\",\"Tunnel\"] rack == 'a' {\"a\":\"b\",\"x/y\":\"b\"}");
    Printed wrong =
        shell.run(
            "patch",
            "ippool",
            "blue",
            "--type",
            "json",
            "-p",
            "[{\"op\": \"remove\", \"path\": \"/spec/nothing\"}]");
    assertThat(wrong.exitCode()).isEqualTo(1);
    assertThat(wrong.err())
        .startsWith("ocicat: operation 1 of the patch")
        .contains("there is nothing at \"/spec/nothing\"")
        .hasLineCount(1);
  }

  @Test
  void aPatchCannotMakeAnotherResourceOfIt() {
    shell.runWith(POOL, "apply", "-f", "-");
    Printed renamed =
        shell.run("patch", "ippool", "blue", "-p", "{\"metadata\": {\"name\": \"red\"}}");
    assertThat(renamed.exitCode()).isEqualTo(1);
    assertThat(renamed.err()).contains("metadata.name must be blue").hasLineCount(1);
  }

  @Test
  void labelsAreSetOverwrittenAndRemoved() {
    shell.runWith(POOL, "apply", "-f", "-");
    succeeds(
        shell.run("label", "ippool", "blue", "a=1", "b=2"),
        "Successfully set label a on IPPool blue\nSuccessfully set label b on IPPool blue\n");
    Printed refused = shell.run("label", "ippool", "blue", "a=3");
    assertThat(refused)
        .isEqualTo(
            new Printed(
                1, "", "ocicat: IPPool blue has label a=1 already: --overwrite changes it\n"));
    value("label", "ippool", "blue", "a=3", "--overwrite");
    value("label", "ippool", "blue", "b-");
    assertThat(value("get", "ippool", "blue", "-o", "jsonpath={.metadata.labels}"))
        .isEqualTo("{\"a\":\"3\"}");
    value("label", "ippool", "blue", "a", "--remove");
    assertThat(shell.run("label", "ippool", "blue", "a-").err())
        .isEqualTo("ocicat: IPPool blue has no label a\n");
  }

  @Test
  void namespacesComeFromTheOptionTheDocumentOrAreDefault() {
    value("get", "tier");
    shell.runWith(TIER_AND_POLICY, "apply", "-n", "shop", "-f", "-");
    shell.runWith(TIER_AND_POLICY, "apply", "-f", "-");
    assertThat(value("get", "np", "-A", "-o", "custom-columns=NAMESPACE,NAME"))
        .isEqualTo(
            """
            NAMESPACE   NAME
            default     ops.web
            shop        ops.web""");
    Printed mismatch =
        shell.runWith(
            TIER_AND_POLICY.replace("name: ops.web", "name: ops.web\n  namespace: bank"),
            "apply",
            "-n",
            "shop",
            "-f",
            "-");
    assertThat(mismatch.exitCode()).isEqualTo(1);
    assertThat(mismatch.err())
        .isEqualTo(
            "ocicat: stdin: document 2: metadata.namespace is \"bank\", but -n says \"shop\": make them agree\n");
  }
}
