package io.ocicat.cni.runtime;

import static io.ocicat.cni.runtime.Lab.container;
import static io.ocicat.cni.runtime.Lab.fails;
import static io.ocicat.cni.runtime.Lab.single;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.cni.CniJson;
import io.ocicat.cni.ConfigList;
import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.exec.Verb;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** CHECK as libcni's tests have it, of single plugins and of lists. */
class CheckOperationTest {
  private static final String FILE = "net-c1-eth0";
  private static final String RESULT =
      "{\"cniVersion\":\"1.0.0\",\"ips\":[{\"address\":\"10.1.2.3/24\"}]}";

  @TempDir Path directory;
  private Lab lab;

  @BeforeEach
  void open() {
    lab = new Lab(directory);
  }

  private static JsonNode json(String text) {
    return CniJson.parse(text);
  }

  @Test
  void aLegacyCacheFileIsThePreviousResultAndNothingElse() {
    lab.install("noop");
    Lab.write(lab.cacheFile(FILE), RESULT);
    lab.cni().network(single("1.0.0", "noop")).check(container().arg("A", "B"));
    Recorder.Call call = lab.recorder.only();
    assertThat(call.environment())
        .containsEntry("CNI_COMMAND", "CHECK")
        .containsEntry("CNI_CONTAINERID", "c1")
        .containsEntry("CNI_NETNS", Lab.NETNS)
        .containsEntry("CNI_IFNAME", "eth0")
        .containsEntry("CNI_ARGS", "A=B");
    assertThat(call.request())
        .isEqualTo(
            json(
                "{\"type\":\"noop\",\"name\":\"net\",\"cniVersion\":\"1.0.0\",\"prevResult\":"
                    + RESULT
                    + "}"));
  }

  @Test
  void missingExecutableIsAnError() throws IOException {
    Network network = lab.network("1.0.0", "a", "b");
    network.add(container());
    Files.delete(lab.plugins.resolve("b"));
    lab.recorder.clear();
    fails(() -> network.check(container()))
        .withMessageStartingWith("failed to find plugin \"b\" in path [");
    assertThat(lab.recorder.order()).containsExactly("CHECK a");
  }

  @Test
  void theFirstFailureEndsItAndSurfacesUnchanged() {
    Network network = lab.network("1.0.0", "a", "b", "c");
    network.add(container());
    lab.recorder.clear().on(Verb.CHECK, "b", Recorder.error(123, "address is gone"));
    fails(() -> network.check(container()))
        .withMessage("address is gone")
        .matches(e -> e.is(new ErrorCode(123)));
    assertThat(lab.recorder.order()).containsExactly("CHECK a", "CHECK b");
    assertThat(lab.cacheFiles()).containsExactly(FILE);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "0.1.0", "0.3.1"})
  void aVersionBeforeZeroFourIsUnsupportedAndNothingRuns(String version) {
    Network network = lab.network(version, "a");
    lab.recorder.on(Verb.ADD, "a", Recorder.ok("{}"));
    network.add(container());
    lab.recorder.clear();
    assertThatThrownBy(() -> network.check(container()))
        .isInstanceOf(CheckUnsupportedException.class)
        .hasMessage(
            "configuration version \"%s\" does not support the CHECK command".formatted(version));
    assertThat(lab.recorder.calls()).isEmpty();
  }

  @Test
  void theVersionCountsBeforeTheFlagThatDisablesIt() {
    String list =
        "{\"name\":\"net\",\"cniVersion\":\"%s\",\"disableCheck\":true,\"plugins\":[{\"type\":\"a\"}]}";
    lab.install("a");
    assertThatThrownBy(
            () -> lab.cni().network(ConfigList.parse(list.formatted("0.3.1"))).check(container()))
        .isInstanceOf(CheckUnsupportedException.class);
    fails(() -> lab.cni().network(ConfigList.parse(list.formatted("x"))).check(container()))
        .withMessageStartingWith("invalid version \"x\"");
    lab.cni().network(ConfigList.parse(list.formatted("1.0.0"))).check(container());
    assertThat(lab.recorder.calls()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"0.4.0", "1.0.0", "1.1.0"})
  void everyPluginReceivesExactlyWhatIsCached(String version) {
    Network network = lab.network(version, "a", "b");
    network.add(container());
    lab.recorder.clear();
    network.check(container());
    assertThat(lab.recorder.order()).containsExactly("CHECK a", "CHECK b");
    JsonNode cached = lab.cacheJson(FILE).get("result");
    assertThat(lab.recorder.calls())
        .allSatisfy(call -> assertThat(call.request().get("prevResult")).isEqualTo(cached));
  }

  @Test
  void aCacheThatIsNotJsonIsAnErrorAndNothingRuns() {
    Network network = lab.network("1.0.0", "a");
    Lab.write(lab.cacheFile(FILE), "adfadsfasdfasfdsafaf");
    fails(() -> network.check(container()))
        .withMessageStartingWith(
            "failed to get network \"net\" cached result: decoding version from network config: not valid JSON");
    assertThat(lab.recorder.calls()).isEmpty();
  }

  @Test
  void anOlderCachedResultIsConverted() {
    Network network = lab.network("1.1.0", "a");
    Lab.write(
        lab.cacheFile(FILE),
        "{\"cniVersion\":\"0.3.1\",\"ips\":[{\"version\":\"4\",\"address\":\"10.1.2.3/24\"}],\"dns\":{}}");
    network.check(container());
    assertThat(lab.recorder.only().request().get("prevResult"))
        .isEqualTo(json("{\"cniVersion\":\"1.1.0\",\"ips\":[{\"address\":\"10.1.2.3/24\"}]}"));
  }

  @Test
  void aCachedResultOfAVersionNobodyKnowsIsAnError() {
    Network network = lab.network("1.1.0", "a");
    Lab.write(lab.cacheFile(FILE), "{\"cniVersion\":\"0.4567.0\"}");
    fails(() -> network.check(container()))
        .withMessage(
            "failed to get network \"net\" cached result: unsupported CNI result version \"0.4567.0\"");
    assertThat(lab.recorder.calls()).isEmpty();
  }

  @Test
  void withoutCachedResultItIsAnErrorThatSaysSo() {
    Network network = lab.network("1.0.0", "a");
    fails(() -> network.check(container()))
        .withMessage(
            "container \"c1\" is not attached to network \"net\" as \"eth0\": no result of an ADD is cached")
        .matches(e -> e.is(ErrorCode.UNKNOWN_CONTAINER));
    assertThat(lab.recorder.calls()).isEmpty();
  }

  @Test
  void withoutCachedResultPluginsAreAskedWhenThatIsWanted() {
    lab.install("a");
    lab.builder()
        .checkNeedsCachedResult(false)
        .build()
        .network(Lab.list("1.0.0", "a"))
        .check(container());
    assertThat(lab.recorder.only().request().has("prevResult")).isFalse();
  }

  @Test
  void argumentsOfAddNeedNotBeGivenAgain() {
    Network network = lab.network("1.0.0", "a");
    network.add(container().arg("K", "V"));
    network.check(container());
    assertThat(lab.recorder.calls().getLast().variable("CNI_ARGS")).isEqualTo("K=V");
  }
}
