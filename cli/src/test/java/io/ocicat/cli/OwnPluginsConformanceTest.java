package io.ocicat.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.cli.conformance.ReferenceServices;
import io.ocicat.cni.SpecVersion;
import io.ocicat.conformance.Conformance;
import io.ocicat.conformance.check.Checks;
import io.ocicat.conformance.check.ConformanceCheck;
import io.ocicat.conformance.report.CheckFinding;
import io.ocicat.conformance.report.CheckOutcome;
import io.ocicat.conformance.report.ConformanceReport;
import io.ocicat.conformance.subject.KnownPlugins;
import io.ocicat.conformance.subject.PluginUnderTest;
import io.ocicat.plugins.Plugins;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every plugin of ours passes every check, in the newest version of the specification. */
class OwnPluginsConformanceTest {
  /** Kills the executable, which is not where the plugin runs here; dist/try does it for real. */
  private static final String NEEDS_ITS_OWN_PROCESS = "del.after-killed-add";

  @SuppressWarnings("NullAway.Init") // by makeExecutables
  private static ForwardedPlugins plugins;

  @BeforeAll
  static void makeExecutables(@TempDir Path directory) throws IOException {
    plugins = ForwardedPlugins.in(directory);
  }

  @AfterAll
  static void close() throws IOException {
    plugins.close();
  }

  /** All of them, so that none can be forgotten. */
  static Set<String> names() {
    return new TreeSet<>(Plugins.names());
  }

  @Test
  void allAreKnownByName() {
    assertThat(KnownPlugins.names()).containsAll(names());
  }

  @ParameterizedTest
  @MethodSource("names")
  void passesAllThatConcernsIt(String name) {
    PluginUnderTest subject =
        PluginUnderTest.of(plugins.executable(name), Optional.empty(), Optional.empty())
            .environment(plugins.environment())
            .limit(Duration.ofSeconds(30));
    if (subject.profile().needsService()) {
      subject = subject.service(ReferenceServices.of(subject.profile()));
    }
    ConformanceReport report = new Conformance(subject).only(checks()).run();

    assertThat(describe(report.with(CheckOutcome.FAILED))).isEmpty();
    assertThat(report.claims().newest()).isEqualTo(SpecVersion.LATEST);
    assertThat(report.count(CheckOutcome.PASSED)).isGreaterThan(140);
  }

  private static List<String> checks() {
    return Checks.all().stream()
        .map(ConformanceCheck::id)
        .filter(id -> !id.equals(NEEDS_ITS_OWN_PROCESS))
        .toList();
  }

  private static List<String> describe(List<CheckFinding> findings) {
    return findings.stream().map(f -> f.check().id() + ": " + f.verdict()).toList();
  }
}
