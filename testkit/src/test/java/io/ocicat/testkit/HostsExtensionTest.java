package io.ocicat.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Hosts
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class HostsExtensionTest {

  private final List<Path> earlier = new ArrayList<>();
  private Path sharedPath = Path.of("/nonexistent");
  private Path preparedPath = Path.of("/nonexistent");

  @BeforeAll
  void shareOneHost(Host shared) {
    sharedPath = shared.path();
  }

  @BeforeEach
  void prepareAHost(Host prepared) {
    preparedPath = prepared.path();
  }

  @AfterAll
  void theLastOnesAreGoneToo() {
    assertThat(earlier)
        .hasSize(5)
        .doesNotHaveDuplicates()
        .allSatisfy(p -> assertThat(p).doesNotExist());
    assertThat(sharedPath).exists();
  }

  @RepeatedTest(3)
  void everyMethodGetsFreshHostsAndTheOldOnesAreGone(Host host) {
    assertThat(earlier).allSatisfy(path -> assertThat(path).doesNotExist());
    assertThat(host.path()).exists();
    earlier.add(host.path());
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void argumentsAndHostsMix(int argument, Host host) {
    assertThat(argument).isBetween(1, 2);
    earlier.add(host.path());
  }

  @RepeatedTest(2)
  void theSameNameIsTheSameHost(Host shared, Host prepared) {
    assertThat(shared.path()).isEqualTo(sharedPath).exists();
    assertThat(prepared.path()).isEqualTo(preparedPath).exists();
  }
}
