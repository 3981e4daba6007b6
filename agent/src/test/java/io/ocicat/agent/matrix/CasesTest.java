package io.ocicat.agent.matrix;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.Datastores;
import io.ocicat.datastore.config.DatastoreConfig;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every case is one that a user could write. */
class CasesTest {
  @TempDir Path folder;

  @Test
  void theDatastoreAcceptsEveryCase() {
    List<String> refused = new ArrayList<>();
    int count = 0;
    try (Datastore datastore = Datastores.openOwn(new DatastoreConfig.Embedded(folder))) {
      for (PolicyCase each : all()) {
        count++;
        try {
          each.inOrder(true).forEach(datastore::create);
          each.inOrder(true).reversed().forEach(it -> datastore.delete(it.key(), null));
        } catch (RuntimeException e) {
          refused.add(each.name() + ": " + e.getMessage());
        }
      }
    }
    assertThat(refused).as("of %d", count).isEmpty();
  }

  private static List<PolicyCase> all() {
    return Stream.of(
            KubernetesCases.all(),
            GeneratedCases.targets(),
            GeneratedCases.conflicts(),
            GeneratedCases.singles(),
            ClusterCases.all(),
            CalicoCases.all(),
            RuleCases.all(),
            SetAndHostCases.all())
        .flatMap(List::stream)
        .toList();
  }

  @Test
  void noTwoCasesHaveOneName() {
    assertThat(all().stream().map(PolicyCase::name)).doesNotHaveDuplicates();
  }
}
