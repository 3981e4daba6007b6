package io.ocicat.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.base.yaml.YamlReader;
import io.ocicat.cli.terminal.ErrorReporter;
import io.ocicat.cni.CniJson;
import io.ocicat.datastore.model.ApiGroup;
import io.ocicat.datastore.model.Crds;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

class CrdsCommandTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String... args) {
    ErrorReporter reporter = new ErrorReporter(new PrintWriter(err, true), false);
    return Ocicat.run(Ocicat.commandLine(), reporter, new PrintWriter(out, true), args);
  }

  @Test
  void printsTheOlderGroupUnlessAskedForTheOther() {
    assertThat(run("crds")).isZero();
    assertThat(out.toString())
        .startsWith("---\napiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n")
        .contains("  name: ippools.crd.projectcalico.org\n")
        .doesNotContain("name: ippools.projectcalico.org");
    assertThat(err.toString()).isEmpty();
  }

  @Test
  void whatIsPrintedReadsAsTheDefinitions() {
    run("crds");

    assertThat(YamlReader.readAll(out.toString()))
        .extracting(YamlReader.Document::value)
        .containsExactlyElementsOf(Crds.of(ApiGroup.V1));
  }

  @Test
  void thereIsJsonThatKubectlTakesToo() {
    run("crds", "--json");

    JsonNode list = CniJson.parse(out.toString());
    assertThat(list.path("kind").asString()).isEqualTo("List");
    assertThat(list.path("items")).containsExactlyElementsOf(Crds.of(ApiGroup.V1));
  }

  @Test
  void printsTheNewerGroupWhenAskedFor() {
    assertThat(run("crds", "--group", "projectcalico.org/v3")).isZero();
    assertThat(out.toString()).contains("  name: ippools.projectcalico.org\n");
  }

  @Test
  void anotherGroupIsAMistake() {
    assertThat(run("crds", "--group", "v3")).isEqualTo(2);
    assertThat(err.toString())
        .contains("--group must be crd.projectcalico.org/v1 or projectcalico.org/v3, not \"v3\"")
        .hasLineCount(1);
    assertThat(out.toString()).isEmpty();
  }
}
