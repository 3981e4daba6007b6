package io.ocicat.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.Timeout;
import org.junit.platform.engine.reporting.ReportEntry;
import org.junit.platform.testkit.engine.EngineExecutionResults;
import org.junit.platform.testkit.engine.EngineTestKit;

/** However a test ends, its hosts are removed. */
class FailingTestTest {

  @Test
  void theHostsOfTestsThatFailAreRemovedToo() {
    EngineExecutionResults results =
        EngineTestKit.engine("junit-jupiter").selectors(selectClass(Failing.class)).execute();

    results.testEvents().assertStatistics(events -> events.started(2).failed(2));
    assertThat(results.allEvents().reportingEntryPublished().stream())
        .map(event -> event.getRequiredPayload(ReportEntry.class))
        .map(entry -> Path.of(entry.getKeyValuePairs().getOrDefault("host", "/")))
        .hasSize(2)
        .allSatisfy(path -> assertThat(path).hasParentRaw(Namespace.DIRECTORY).doesNotExist());
  }

  /** Nested, so that Surefire leaves it to the test above. */
  @Hosts
  static class Failing {

    @Test
    void byAnAssertion(Host host, TestReporter reporter) {
      reporter.publishEntry("host", host.path().toString());
      assertThat(host.path()).doesNotExist();
    }

    @Test
    @Timeout(1)
    void byATimeout(Host host, TestReporter reporter) {
      reporter.publishEntry("host", host.path().toString());
      host.exec("sleep", "600");
    }
  }
}
