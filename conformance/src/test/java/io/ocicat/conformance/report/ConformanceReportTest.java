package io.ocicat.conformance.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.cni.CniJson;
import io.ocicat.conformance.check.CheckVerdict;
import io.ocicat.conformance.check.Checks;
import io.ocicat.conformance.check.ConformanceCheck;
import io.ocicat.conformance.lab.ClaimedVersions;
import io.ocicat.conformance.report.Deviations.Deviation;
import io.ocicat.conformance.subject.PluginUnderTest;
import java.io.ByteArrayInputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import javax.xml.parsers.DocumentBuilderFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Element;
import tools.jackson.databind.JsonNode;

class ConformanceReportTest {
  private static final CheckVerdict FAILED =
      new CheckVerdict.Failed(
          "exit code 0", "exit code 1, stdout <none> & \u0001", List.of("ip netns add x", "# it"));
  private static final Deviation KNOWN = new Deviation(Set.of(), "any", false, "it is \"known\"");
  private static final Deviation SOMETIMES = new Deviation(Set.of(), "any", true, "not always");

  private static final ConformanceReport REPORT =
      new ConformanceReport(
          PluginUnderTest.of(Path.of("/usr/lib/cni/bridge"), Optional.empty(), Optional.empty()),
          ClaimedVersions.of(List.of("0.4.0", "1.0.0")),
          List.of(
              finding("version.reply-shape", new CheckVerdict.Passed(), null),
              finding("version.echo", FAILED, KNOWN),
              finding("del.twice", FAILED, null),
              finding("del.never-added", new CheckVerdict.Passed(), KNOWN),
              finding("del.after-killed-add", new CheckVerdict.Passed(), SOMETIMES),
              finding("gc.no-list", new CheckVerdict.NotApplicable("too old"), KNOWN)),
          Duration.ofMillis(1300));

  private static CheckFinding finding(
      String id, CheckVerdict verdict, @Nullable Deviation deviation) {
    ConformanceCheck check =
        Checks.all().stream().filter(c -> c.id().equals(id)).findFirst().orElseThrow();
    return new CheckFinding(check, verdict, deviation, Duration.ofMillis(7));
  }

  @Test
  void outcomesSeeVerdictsInTheLightOfWhatWasExpected() {
    assertThat(REPORT.findings())
        .extracting(CheckFinding::outcome)
        .containsExactly(
            CheckOutcome.PASSED,
            CheckOutcome.DEVIATES,
            CheckOutcome.FAILED,
            CheckOutcome.PASSED_UNEXPECTEDLY,
            CheckOutcome.PASSED,
            CheckOutcome.NOT_APPLICABLE);
    assertThat(REPORT.isGood()).isFalse();
    assertThat(REPORT.summary())
        .isEqualTo(
            "6 checks: 3 passed, 1 failed, 1 expected to deviate, 1 not applicable;"
                + " 1 of the passed were expected to deviate");
  }

  @Test
  void textIsAlignedAndGroupedAndShowsFailuresInFull() {
    assertThat(text(false))
        .isEqualToNormalizingNewlines(
            """
            bridge  /usr/lib/cni/bridge  (kind interface, speaks 0.4.0, 1.0.0)

            version
              passed    version.reply-shape   MUST    answers VERSION with one object that has a string cniVersion and a list supportedVersions of strings
              deviates  version.echo          SHOULD  repeats the request's cniVersion in the reply to VERSION
                         because it is "known"

            del
              FAILED    del.twice             MUST    succeeds at the second DEL as at the first
                         see spec 2, DEL
                         expected exit code 0
                         got exit code 1, stdout <none> & \u0001
                         to reproduce, as root:
                           ip netns add x
                           # it
              passed!   del.never-added       MUST    succeeds at DEL of what was never added
                         expected to deviate it is "known"
              passed    del.after-killed-add  SHOULD  cleans up at DEL after an ADD that was killed at any moment, so that ADD works again

            gc
              n/a       gc.no-list            MUST    succeeds at GC without a list
                         because too old

            bridge: 6 checks: 3 passed, 1 failed, 1 expected to deviate, 1 not applicable; 1 of the passed were expected to deviate, in 1.3 s
            """);
  }

  @Test
  void colourIsForTerminals() {
    assertThat(text(false)).doesNotContain("\u001b");
    assertThat(text(true)).contains("\u001b[31mFAILED  \u001b[0m", "\u001b[32mpassed  \u001b[0m");
  }

  @Test
  void jsonHasEverything() {
    JsonNode json = CniJson.parse(JsonReport.of(REPORT));

    assertThat(json.at("/plugin").asString()).isEqualTo("bridge");
    assertThat(json.at("/versions/1").asString()).isEqualTo("1.0.0");
    assertThat(json.at("/summary/failed").asInt()).isEqualTo(1);
    assertThat(json.at("/summary/passed-unexpectedly").asInt()).isEqualTo(1);
    assertThat(json.at("/checks/1/deviation").asString()).isEqualTo("it is \"known\"");
    assertThat(json.at("/checks/2/outcome").asString()).isEqualTo("failed");
    assertThat(json.at("/checks/2/expected").asString()).isEqualTo("exit code 0");
    assertThat(json.at("/checks/2/reproduction/0").asString()).isEqualTo("ip netns add x");
    assertThat(json.at("/checks/5/why").asString()).isEqualTo("too old");
  }

  @Test
  void junitXmlIsWhatCiServersRead() throws Exception {
    Element suites =
        DocumentBuilderFactory.newInstance()
            .newDocumentBuilder()
            .parse(
                new ByteArrayInputStream(JunitReport.of(REPORT).getBytes(StandardCharsets.UTF_8)))
            .getDocumentElement();

    assertThat(suites.getAttribute("tests")).isEqualTo("6");
    assertThat(suites.getAttribute("failures")).isEqualTo("1");
    assertThat(suites.getAttribute("skipped")).isEqualTo("2");
    assertThat(suites.getAttribute("time")).isEqualTo("1.300");
    assertThat(suites.getElementsByTagName("testsuite").getLength()).isEqualTo(3);
    Element failure = (Element) suites.getElementsByTagName("failure").item(0);
    assertThat(failure.getAttribute("message"))
        .isEqualTo("expected exit code 0, got exit code 1, stdout <none> & \ufffd");
    assertThat(failure.getTextContent()).contains("spec 2, DEL", "ip netns add x\n# it");
    assertThat(((Element) failure.getParentNode()).getAttribute("classname"))
        .isEqualTo("bridge.del");
    Element skipped = (Element) suites.getElementsByTagName("skipped").item(0);
    assertThat(skipped.getAttribute("message")).isEqualTo("expected deviation: it is \"known\"");
  }

  private static String text(boolean colour) {
    StringWriter out = new StringWriter();
    List<ConformanceCheck> checks = REPORT.findings().stream().map(CheckFinding::check).toList();
    TextReport report = new TextReport(new PrintWriter(out), checks, colour);
    report.begin(REPORT.subject(), REPORT.claims());
    REPORT.findings().forEach(report::found);
    report.end(REPORT);
    return out.toString();
  }
}
