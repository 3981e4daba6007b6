package io.ocicat.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.cni.SpecVersion;
import io.ocicat.conformance.report.CheckOutcome;
import io.ocicat.conformance.report.ConformanceReport;
import io.ocicat.conformance.subject.PluginKind;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A plugin that does everything right passes every check that applies to it. */
class ExemplarTest {
  @Test
  void anInterfacePluginPassesAll() {
    ConformanceReport report = new Conformance(Exemplar.flawless(PluginKind.INTERFACE)).run();

    assertThat(failures(report)).isEmpty();
    assertThat(report.claims().versions()).hasSize(7);
    assertThat(topics(report, CheckOutcome.NOT_APPLICABLE))
        .containsExactlyInAnyOrder("chain", "gc", "ipam");
  }

  @Test
  void anIpamPluginPassesWhatConcernsIt() {
    ConformanceReport report = run(PluginKind.IPAM, "versions", "check", "ipam", "gc", "residue");

    assertThat(failures(report)).isEmpty();
    assertThat(report.with(CheckOutcome.PASSED))
        .extracting(f -> f.check().topic())
        .contains("ipam", "gc");
  }

  @Test
  void aChainedPluginPassesWhatConcernsIt() {
    ConformanceReport report =
        run(PluginKind.CHAINED, "versions", "check", "del", "chain", "residue");

    assertThat(failures(report)).isEmpty();
    assertThat(report.with(CheckOutcome.PASSED))
        .extracting(f -> f.check().topic())
        .contains("chain");
  }

  /** Debian's host-local supports 1.0.0 at most. */
  @Test
  void anInterfacePluginIsCalledInVersionsThatItsIpamPluginSpeaks() {
    ConformanceReport report =
        new Conformance(Exemplar.delegatingTo("host-local")).only(List.of("versions")).run();

    assertThat(failures(report)).isEmpty();
    assertThat(report.claims().versions()).contains(SpecVersion.V1_1_0);
    assertThat(report.claims().newest()).isEqualTo(SpecVersion.V1_0_0);
    assertThat(report.with(CheckOutcome.NOT_APPLICABLE))
        .extracting(f -> f.check().id())
        .containsExactly("versions.1.1.0");
  }

  /** What plugins of this kind do differently. */
  private static ConformanceReport run(PluginKind kind, String... topics) {
    return new Conformance(Exemplar.flawless(kind)).only(List.of(topics)).run();
  }

  private static List<String> failures(ConformanceReport report) {
    return report.with(CheckOutcome.FAILED).stream()
        .map(finding -> finding.check().id() + ": " + finding.verdict())
        .toList();
  }

  private static List<String> topics(ConformanceReport report, CheckOutcome outcome) {
    return report.with(outcome).stream().map(f -> f.check().topic()).distinct().toList();
  }
}
