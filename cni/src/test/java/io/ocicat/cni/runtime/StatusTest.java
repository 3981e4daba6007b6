package io.ocicat.cni.runtime;

import static io.ocicat.cni.runtime.Lab.fails;
import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.cni.CniJson;
import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.exec.Verb;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** STATUS as libcni's tests have it: plugins in order, until one is not ready. */
class StatusTest {
  @TempDir Path directory;
  private Lab lab;

  @BeforeEach
  void open() {
    lab = new Lab(directory);
  }

  @Test
  void allPluginsAreAskedInOrderWithNothingButNameAndVersion() {
    lab.network("1.1.0", "a", "b").status();
    assertThat(lab.recorder.order()).containsExactly("STATUS a", "STATUS b");
    assertThat(lab.recorder.request(0))
        .isEqualTo(CniJson.parse("{\"type\":\"a\",\"name\":\"net\",\"cniVersion\":\"1.1.0\"}"));
    assertThat(lab.recorder.calls().getFirst().environment())
        .containsEntry("CNI_COMMAND", "STATUS")
        .containsEntry("CNI_CONTAINERID", "")
        .containsEntry("CNI_NETNS", "")
        .containsEntry("CNI_IFNAME", "")
        .containsEntry("CNI_PATH", lab.plugins.toString());
    assertThat(lab.cache).as("it needs no cache").doesNotExist();
  }

  @ParameterizedTest
  @ValueSource(ints = {50, 51})
  void theFirstThatIsNotReadySurfacesWithItsCodeAndEndsIt(int code) {
    Network network = lab.network("1.1.0", "a", "b", "c");
    lab.recorder.on(Verb.STATUS, "b", Recorder.error(code, "address pool exhausted"));
    fails(network::status)
        .withMessage("address pool exhausted")
        .matches(e -> e.is(new ErrorCode(code)));
    assertThat(lab.recorder.order()).containsExactly("STATUS a", "STATUS b");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "0.3.1", "0.4.0", "1.0.0", "garbage"})
  void olderVersionsAreReadyWithoutBeingAsked(String version) {
    lab.network(version, "a").status();
    assertThat(lab.recorder.calls()).isEmpty();
  }

  @Test
  void aMissingExecutableIsNotReady() {
    lab.install("a");
    Network network = lab.cni().network(Lab.list("1.1.0", "a", "b"));
    fails(network::status).withMessageStartingWith("failed to find plugin \"b\" in path [");
  }
}
