package io.ocicat.conformance;

import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.cni.SpecVersion;
import io.ocicat.conformance.check.Checks;
import io.ocicat.conformance.check.ConformanceCheck;
import io.ocicat.conformance.report.CheckFinding;
import io.ocicat.conformance.report.CheckOutcome;
import io.ocicat.conformance.report.ConformanceReport;
import io.ocicat.conformance.report.Deviations;
import io.ocicat.conformance.subject.PluginUnderTest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Debian's Go plugins (package containernetworking-plugins) pass, except for the listed and
 * explained deviations; and those they do fail.
 */
class GoPluginsTest {
  private static final Path DEVIATIONS =
      Path.of("deviations/containernetworking-plugins-1.1.1.txt");

  @ParameterizedTest
  @ValueSource(
      strings = {
        "loopback",
        "bridge",
        "ptp",
        "macvlan",
        "host-local",
        "static",
        "portmap",
        "bandwidth",
        "firewall",
        "tuning",
        "sbr"
      })
  void passesButForWhatIsListed(String plugin) throws IOException {
    PluginUnderTest subject =
        PluginUnderTest.of(Path.of("/usr/lib/cni", plugin), Optional.empty(), Optional.empty());
    ConformanceReport report = new Conformance(subject).expecting(deviations()).run();

    assertThat(describe(report.with(CheckOutcome.FAILED))).isEmpty();
    assertThat(describe(report.with(CheckOutcome.PASSED_UNEXPECTEDLY))).isEmpty();
    assertThat(report.claims().newest()).isEqualTo(SpecVersion.V1_0_0);
    assertThat(report.count(CheckOutcome.PASSED)).isGreaterThan(100);
  }

  private static Deviations deviations() throws IOException {
    return Deviations.parse(
        Files.readString(DEVIATIONS),
        Checks.all().stream().map(ConformanceCheck::id).collect(toSet()));
  }

  private static List<String> describe(List<CheckFinding> findings) {
    return findings.stream().map(f -> f.check().id() + ": " + f.verdict()).toList();
  }
}
