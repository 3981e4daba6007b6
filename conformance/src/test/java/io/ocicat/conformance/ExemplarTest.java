package io.ocicat.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.cni.SpecVersion;
import io.ocicat.conformance.report.Outcome;
import io.ocicat.conformance.report.Report;
import io.ocicat.conformance.subject.Kind;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A plugin that does everything right passes everything that concerns it. */
class ExemplarTest {
  @Test
  void anInterfacePluginPassesAll() {
    Report report = new Conformance(Exemplar.flawless(Kind.INTERFACE)).run();

    assertThat(failures(report)).isEmpty();
    assertThat(report.claims().versions()).hasSize(7);
    assertThat(topics(report, Outcome.NOT_APPLICABLE))
        .containsExactlyInAnyOrder("chain", "gc", "ipam");
  }

  @Test
  void anIpamPluginPassesWhatConcernsIt() {
    Report report = run(Kind.IPAM, "versions", "check", "ipam", "gc", "residue");

    assertThat(failures(report)).isEmpty();
    assertThat(report.with(Outcome.PASSED))
        .extracting(f -> f.check().topic())
        .contains("ipam", "gc");
  }

  @Test
  void aChainedPluginPassesWhatConcernsIt() {
    Report report = run(Kind.CHAINED, "versions", "check", "del", "chain", "residue");

    assertThat(failures(report)).isEmpty();
    assertThat(report.with(Outcome.PASSED)).extracting(f -> f.check().topic()).contains("chain");
  }

  /** Debian's host-local speaks 1.0.0 at most. */
  @Test
  void anInterfacePluginIsCalledInVersionsThatItsIpamPluginSpeaks() {
    Report report =
        new Conformance(Exemplar.delegatingTo("host-local")).only(List.of("versions")).run();

    assertThat(failures(report)).isEmpty();
    assertThat(report.claims().versions()).contains(SpecVersion.V1_1_0);
    assertThat(report.claims().newest()).isEqualTo(SpecVersion.V1_0_0);
    assertThat(report.with(Outcome.NOT_APPLICABLE))
        .extracting(f -> f.check().id())
        .containsExactly("versions.1.1.0");
  }

  /** What plugins of this kind do otherwise than others. */
  private static Report run(Kind kind, String... topics) {
    return new Conformance(Exemplar.flawless(kind)).only(List.of(topics)).run();
  }

  private static List<String> failures(Report report) {
    return report.with(Outcome.FAILED).stream()
        .map(finding -> finding.check().id() + ": " + finding.verdict())
        .toList();
  }

  private static List<String> topics(Report report, Outcome outcome) {
    return report.with(outcome).stream().map(f -> f.check().topic()).distinct().toList();
  }
}
