package io.ocicat.cni.runtime;

import static io.ocicat.cni.runtime.Lab.container;
import static io.ocicat.cni.runtime.Lab.fails;
import static io.ocicat.cni.runtime.Lab.list;
import static io.ocicat.cni.runtime.Lab.single;
import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.base.json.Json;
import io.ocicat.cni.CniException;
import io.ocicat.cni.CniJson;
import io.ocicat.cni.ConfigList;
import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.PortMapping;
import io.ocicat.cni.PortMapping.Protocol;
import io.ocicat.cni.exec.Verb;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * DEL as libcni's tests have it, of single plugins and of lists; and what they leave out: the
 * reverse order, the configuration that ADD ran, rollback.
 */
class DelTest {
  private static final String FILE = "net-c1-eth0";

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
  void singlePluginReceivesTheCachedResultAndEverythingCachedIsGoneAfterwards() {
    lab.install("noop");
    Network network = lab.cni().network(single("1.0.0", "noop"));
    network.add(container().arg("A", "B"));
    lab.recorder.clear();
    network.del(container().arg("A", "B"));
    Recorder.Call call = lab.recorder.only();
    assertThat(call.environment())
        .containsEntry("CNI_COMMAND", "DEL")
        .containsEntry("CNI_CONTAINERID", "c1")
        .containsEntry("CNI_NETNS", Lab.NETNS)
        .containsEntry("CNI_IFNAME", "eth0")
        .containsEntry("CNI_ARGS", "A=B")
        .containsEntry("CNI_PATH", lab.plugins.toString());
    assertThat(call.request())
        .isEqualTo(
            json(
                "{\"type\":\"noop\",\"name\":\"net\",\"cniVersion\":\"1.0.0\",\"prevResult\":{\"cniVersion\":\"1.0.0\",\"ips\":[{\"address\":\"10.1.2.3/24\"}]}}"));
    assertThat(network.cachedResult(container())).isEmpty();
    assertThat(network.cachedAttachment(container())).isEmpty();
    assertThat(network.attachments()).isEmpty();
    assertThat(lab.cacheFiles()).isEmpty();
  }

  @Test
  void missingExecutableIsAnError() throws IOException {
    Network network = lab.network("1.0.0", "a", "b");
    network.add(container());
    Files.delete(lab.plugins.resolve("b"));
    lab.recorder.clear();
    fails(() -> network.del(container()))
        .withMessageStartingWith(
            "plugin type=\"b\" failed (delete): failed to find plugin \"b\" in path [");
    assertThat(lab.recorder.calls()).isEmpty();
    assertThat(lab.cacheFiles()).containsExactly(FILE);
    fails(() -> lab.cni().network(single("1.0.0", "gone")).del(Container.of("c2", "")))
        .withMessageStartingWith("failed to find plugin \"gone\" in path [");
  }

  @Test
  void missingExecutableIsLeftOutWhenThatIsWanted() throws IOException {
    Network network = lab.network("1.0.0", "a", "b", "c");
    network.add(container());
    Files.delete(lab.plugins.resolve("b"));
    lab.recorder.clear();
    lab.builder()
        .delSkipsMissingPlugins(true)
        .build()
        .network(list("1.0.0", "a", "b", "c"))
        .del(container());
    assertThat(lab.recorder.order()).containsExactly("DEL c", "DEL a");
    assertThat(lab.warnings)
        .singleElement()
        .asString()
        .startsWith("network \"net\": DEL leaves out plugin \"b\": failed to find plugin");
    assertThat(lab.cacheFiles()).isEmpty();
  }

  @Test
  void pluginsOfAListRunInReverseEachWithTheFinalResult() {
    Network network = lab.network("1.0.0", "a", "b", "c");
    lab.recorder.on(
        Verb.ADD, "c", Recorder.ok("{\"cniVersion\":\"1.0.0\",\"dns\":{\"domain\":\"final\"}}"));
    network.add(container());
    lab.recorder.clear();
    network.del(container());
    assertThat(lab.recorder.order()).containsExactly("DEL c", "DEL b", "DEL a");
    assertThat(lab.recorder.calls())
        .extracting(call -> call.request().get("prevResult"))
        .containsOnly(json("{\"cniVersion\":\"1.0.0\",\"dns\":{\"domain\":\"final\"}}"));
    assertThat(lab.cacheFiles()).isEmpty();
  }

  @Test
  void theFirstFailureEndsItAndDelCanBeRepeated() {
    Network network = lab.network("1.0.0", "a", "b", "c");
    network.add(container());
    lab.recorder.clear().on(Verb.DEL, "b", Recorder.error(11, "busy"));
    fails(() -> network.del(container()))
        .withMessage("plugin type=\"b\" failed (delete): busy")
        .matches(e -> e.is(ErrorCode.TRY_AGAIN_LATER));
    assertThat(lab.recorder.order()).containsExactly("DEL c", "DEL b");
    assertThat(lab.cacheFiles()).containsExactly(FILE);
    lab.recorder.clear().on(Verb.DEL, "b", Recorder.ok(""));
    network.del(container());
    assertThat(lab.recorder.order()).containsExactly("DEL c", "DEL b", "DEL a");
    assertThat(lab.recorder.calls()).allMatch(call -> call.request().has("prevResult"));
    assertThat(lab.cacheFiles()).isEmpty();
  }

  @Test
  void errorOfASinglePluginSurfacesUnchanged() {
    lab.install("noop").recorder.on(Verb.DEL, "noop", Recorder.error(100, "own error"));
    fails(() -> lab.cni().network(single("1.0.0", "noop")).del(container()))
        .withMessage("own error");
  }

  @Test
  void goesOnPastFailuresAndReportsAllWhenThatIsWanted() {
    lab.install("a", "b", "c");
    Network network =
        lab.builder()
            .delContinuesOnFailure(true)
            .timeLimit(Duration.ofMinutes(1))
            .build()
            .network(list("1.0.0", "a", "b", "c"));
    network.add(container());
    lab.recorder
        .clear()
        .on(Verb.DEL, "c", Recorder.error(7, "no"))
        .on(Verb.DEL, "b", Recorder.error(11, "busy"));
    fails(() -> network.del(container()))
        .withMessage(
            "2 plugins failed (delete): plugin type=\"c\" failed (delete): no; plugin type=\"b\" failed (delete): busy")
        .matches(e -> e.is(ErrorCode.INVALID_NETWORK_CONFIG))
        .matches(e -> e.getSuppressed().length == 2);
    assertThat(lab.recorder.order()).containsExactly("DEL c", "DEL b", "DEL a");
    assertThat(lab.cacheFiles()).containsExactly(FILE);
    // The first may use a third of the time, so that the others have theirs, too.
    assertThat(lab.recorder.calls().getFirst().limit()).isLessThanOrEqualTo(Duration.ofSeconds(20));
    lab.recorder.on(Verb.DEL, "c", Recorder.ok(""));
    fails(() -> network.del(container()))
        .withMessage("plugin type=\"b\" failed (delete): busy")
        .matches(e -> e.is(ErrorCode.TRY_AGAIN_LATER));
  }

  @Test
  void twiceSucceeds() {
    Network network = lab.network("1.0.0", "a");
    network.add(container());
    network.del(container());
    assertThat(lab.cacheFiles()).isEmpty();
    network.del(container());
    assertThat(lab.recorder.order()).containsExactly("ADD a", "DEL a", "DEL a");
    assertThat(lab.recorder.request(2).has("prevResult")).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "0.1.0", "0.2.0", "0.3.0", "0.3.1"})
  void versionsBeforeZeroFourGetNoPreviousResult(String version) {
    Network network = lab.network(version, "a");
    lab.recorder.on(Verb.ADD, "a", Recorder.ok("{}"));
    network.add(container());
    network.del(container());
    assertThat(lab.recorder.request(1).has("prevResult")).isFalse();
    assertThat(lab.cacheFiles()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"0.4.0", "1.0.0", "1.1.0"})
  void laterVersionsGetThePreviousResult(String version) {
    Network network = lab.network(version, "a");
    network.add(container());
    network.del(container());
    assertThat(lab.recorder.request(1).get("prevResult").get("cniVersion"))
        .isEqualTo(json("\"" + version + "\""));
  }

  @ParameterizedTest
  @ValueSource(strings = {"adfadsfasdfasfdsafaf", "{", "[]", "5", "\u0000\u0000"})
  void toleratesACacheThatIsNotJson(String content) {
    Network network = lab.network("1.0.0", "a");
    Lab.write(lab.cacheFile(FILE), content);
    network.del(container());
    assertThat(lab.recorder.only().request().has("prevResult")).isFalse();
    assertThat(lab.cacheFiles()).isEmpty();
    assertThat(lab.warnings)
        .singleElement()
        .asString()
        .startsWith("network \"net\": DEL runs without the cached result: ");
  }

  @Test
  void toleratesAnEmptyCacheFileAsAPowerFailureLeavesIt() {
    Network network = lab.network("1.0.0", "a");
    Lab.write(lab.cacheFile(FILE), "");
    network.del(container());
    assertThat(lab.recorder.only().request().has("prevResult")).isFalse();
    assertThat(lab.cacheFiles()).isEmpty();
    assertThat(lab.warnings).allMatch(w -> w.endsWith("is empty: ignored")).isNotEmpty();
  }

  @Test
  void convertsAnOlderCachedResult() {
    Network network = lab.network("1.0.0", "a");
    Lab.write(
        lab.cacheFile(FILE),
        "{\"cniVersion\":\"0.3.1\",\"ips\":[{\"version\":\"4\",\"address\":\"10.1.2.3/24\"}],\"dns\":{}}");
    network.del(container());
    assertThat(lab.recorder.only().request().get("prevResult"))
        .isEqualTo(json("{\"cniVersion\":\"1.0.0\",\"ips\":[{\"address\":\"10.1.2.3/24\"}]}"));
  }

  @Test
  void toleratesACachedResultThatCannotBeConverted() {
    Network network = lab.network("1.0.0", "a");
    Lab.write(lab.cacheFile(FILE), "{\"cniVersion\":\"0.4567.0\",\"ips\":[]}");
    network.del(container());
    assertThat(lab.recorder.only().request().has("prevResult")).isFalse();
    assertThat(lab.warnings)
        .singleElement()
        .asString()
        .contains("unsupported CNI result version \"0.4567.0\"");
  }

  @Test
  void worksWithoutNamespace() {
    Network network = lab.network("1.0.0", "a");
    network.add(container());
    network.del(container().netns(""));
    assertThat(lab.recorder.calls().getLast().variable("CNI_NETNS")).isEmpty();
  }

  @Test
  void argumentsOfAddNeedNotBeGivenAgain() {
    lab.install("a");
    ConfigList list =
        ConfigList.parse(
            "{\"name\":\"net\",\"cniVersion\":\"1.0.0\",\"plugins\":[{\"type\":\"a\",\"capabilities\":{\"portMappings\":true}}]}");
    Container added =
        container().arg("K", "V").portMappings(new PortMapping(80, 81, Protocol.UDP, null));
    lab.cni().network(list).add(added);
    lab.cni().network(list).del(container());
    Recorder.Call call = lab.recorder.calls().getLast();
    assertThat(call.variable("CNI_ARGS")).isEqualTo("K=V");
    assertThat(call.request().get("runtimeConfig"))
        .isEqualTo(lab.recorder.request(0).get("runtimeConfig"));
    lab.cni().network(list).add(added);
    lab.cni().network(list).del(container().arg("OTHER", "1"));
    assertThat(lab.recorder.calls().getLast().variable("CNI_ARGS")).isEqualTo("OTHER=1");
  }

  @Test
  void runsTheConfigurationThatAddRan() {
    lab.install("a", "b", "c");
    lab.cni().network(list("0.4.0", "a", "b")).add(container());
    lab.recorder.clear();
    lab.cni().network(list("1.0.0", "c")).del(container());
    assertThat(lab.recorder.order()).containsExactly("DEL b", "DEL a");
    assertThat(lab.recorder.request(0).get("cniVersion")).isEqualTo(json("\"0.4.0\""));
  }

  @Test
  void runsThePresentConfigurationWhenThatIsWanted() {
    lab.install("a", "b", "c");
    lab.cni().network(list("0.4.0", "a", "b")).add(container());
    lab.recorder.clear();
    lab.builder()
        .delPrefersCachedConfig(false)
        .build()
        .network(list("1.0.0", "c"))
        .del(container());
    assertThat(lab.recorder.order()).containsExactly("DEL c");
    assertThat(lab.recorder.request(0).get("prevResult").get("cniVersion"))
        .isEqualTo(json("\"1.0.0\""));
  }

  @Test
  void runsThePresentConfigurationWhenTheCachedOneIsUnusable() {
    Network network = lab.network("1.0.0", "a");
    network.add(container());
    lab.recorder.clear();
    List<String> configs =
        List.of(
            "eyJ4",
            "!!!",
            base64("{}"),
            base64("[]"),
            base64("{\"name\":\"net\"}"),
            base64("{\"name\":\"other\",\"plugins\":[{\"type\":\"a\"}]}"),
            base64("{\"name\":\"net\",\"plugins\":[{\"type\":\"../a\"}]}"));
    for (String config : configs) {
      ObjectNode entry = Json.object();
      entry
          .put("kind", "cniCacheV1")
          .put("containerId", "c1")
          .put("config", config)
          .put("ifName", "eth0")
          .put("networkName", "net");
      Lab.write(lab.cacheFile(FILE), Json.compact(entry));
      network.del(container());
      assertThat(lab.cacheFiles()).isEmpty();
    }
    assertThat(lab.recorder.order()).hasSize(configs.size()).containsOnly("DEL a");
    assertThat(lab.warnings).hasSize(configs.size());
  }

  private static String base64(String text) {
    return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void runsWithTheDeclaredVersionWhenPluginsCannotAgreeOnOne() {
    lab.install("a")
        .recorder
        .on(
            Verb.VERSION,
            "a",
            Recorder.ok("{\"cniVersion\":\"0.4.0\",\"supportedVersions\":[\"0.4.0\"]}"));
    ConfigList list =
        ConfigList.parse(
            "{\"name\":\"net\",\"cniVersions\":[\"1.0.0\"],\"plugins\":[{\"type\":\"a\"}]}");
    lab.builder().negotiatesWithPlugins(true).build().network(list).del(container());
    assertThat(lab.recorder.order()).containsExactly("VERSION a", "DEL a");
    assertThat(lab.warnings)
        .singleElement()
        .asString()
        .startsWith("network \"net\" is called with version \"1.0.0\": no version of network");
  }

  @Test
  void aCachedSingleConfigurationIsRunAsOne() {
    lab.install("a", "b");
    lab.cni().network(single("1.0.0", "a")).add(container());
    lab.recorder.clear().on(Verb.DEL, "a", Recorder.error(7, "no"));
    fails(() -> lab.cni().network(list("1.0.0", "b")).del(container())).withMessage("no");
    assertThat(lab.recorder.order()).containsExactly("DEL a");
  }

  @Test
  void whatGoCachedLacksThePluginsOfTheFolderSoThoseOfTodayAreRun() {
    lab.install("a", "b");
    Lab.write(
        lab.conf.resolve("10-net.conflist"),
        "{\"name\":\"net\",\"cniVersion\":\"1.0.0\",\"plugins\":[{\"type\":\"a\"}]}");
    Lab.write(lab.conf.resolve("net/10-b.conf"), "{\"type\":\"b\"}");
    Cni cni = lab.cni();
    cni.network("net").add(container());
    ObjectNode entry = lab.cacheJson(FILE);
    assertThat(entry.remove("io.ocicat")).isNotNull();
    for (int round = 0; round < 2; round++) {
      Lab.write(lab.cacheFile(FILE), Json.compact(entry));
      lab.recorder.clear();
      CachedAttachment cached = cni.attachments("c1").getFirst();
      (round == 0 ? cni.network("net") : cni.network(cached)).del(container());
      assertThat(lab.recorder.order()).containsExactly("DEL b", "DEL a");
    }
  }

  @Test
  void anAttachmentCanBeDetachedWhenItsNetworkIsNoLongerConfigured() throws IOException {
    lab.install("a");
    Path file =
        Lab.write(
            lab.conf.resolve("10-net.conflist"),
            "{\"name\":\"net\",\"cniVersion\":\"1.0.0\",\"plugins\":[{\"type\":\"a\",\"x\":1}]}");
    lab.cni().network("net").add(container());
    Files.delete(file);
    Cni cni = lab.cni();
    for (CachedAttachment attachment : cni.attachments("c1")) {
      cni.network(attachment).del(attachment.container());
    }
    assertThat(lab.recorder.order()).containsExactly("ADD a", "DEL a");
    assertThat(lab.recorder.request(1).get("x")).isEqualTo(json("1"));
    assertThat(cni.attachments()).isEmpty();
  }

  @Test
  void aFailedAddIsRolledBackWhenThatIsWanted() {
    lab.install("a", "b", "c").recorder.on(Verb.ADD, "b", Recorder.error(7, "no"));
    Network network =
        lab.builder()
            .timeLimit(Duration.ofMinutes(1))
            .rollBackFailedAdds(Duration.ofMinutes(9))
            .build()
            .network(list("1.0.0", "a", "b", "c"));
    fails(() -> network.add(container())).withMessage("plugin type=\"b\" failed (add): no");
    assertThat(lab.recorder.order()).containsExactly("ADD a", "ADD b", "DEL c", "DEL b", "DEL a");
    assertThat(lab.recorder.calls().getLast().limit())
        .as("a deadline of its own, since ADD's may be what passed")
        .isGreaterThan(Duration.ofMinutes(1));
    assertThat(lab.cacheFiles()).isEmpty();
  }

  @Test
  void aRollbackThatFailsIsToldBesideTheFailureOfAdd() {
    lab.install("a", "b")
        .recorder
        .on(Verb.ADD, "b", Recorder.error(11, "no"))
        .on(Verb.DEL, "b", Recorder.error(7, "stuck"));
    Network network =
        lab.builder()
            .rollBackFailedAdds(Duration.ofMinutes(1))
            .build()
            .network(list("1.0.0", "a", "b"));
    fails(() -> network.add(container()))
        .withMessage(
            "plugin type=\"b\" failed (add): no; rollback failed, too: plugin type=\"b\" failed (delete): stuck")
        .matches(e -> e.is(ErrorCode.TRY_AGAIN_LATER));
    assertThat(lab.recorder.order()).containsExactly("ADD a", "ADD b", "DEL b", "DEL a");
  }

  @Test
  void aCacheThatCannotBeWrittenIsRolledBackToo() {
    lab.install("a");
    lab.recorder.on(
        Verb.ADD,
        "a",
        _ -> {
          Lab.write(lab.cacheFile(FILE).resolve("in-the-way"), "");
          return Recorder.ok("{}");
        });
    Network network =
        lab.builder().rollBackFailedAdds(Duration.ofMinutes(1)).build().network(list("1.0.0", "a"));
    fails(() -> network.add(container())).matches(e -> e.is(ErrorCode.IO_FAILURE));
    assertThat(lab.recorder.order()).containsExactly("ADD a", "DEL a");
  }

  @Test
  void aSecondAddThatFailsDoesNotTearDownTheFirst() {
    lab.install("a");
    Network network =
        lab.builder().rollBackFailedAdds(Duration.ofMinutes(1)).build().network(list("1.0.0", "a"));
    network.add(container());
    lab.recorder.on(Verb.ADD, "a", Recorder.error(7, "exists already"));
    fails(() -> network.add(container()));
    assertThat(lab.recorder.order()).containsExactly("ADD a", "ADD a");
    assertThat(lab.warnings)
        .containsExactly("c1 is not rolled back: it was attached to net before");
    assertThat(lab.cacheFiles()).containsExactly(FILE);
  }

  @Test
  void anInterruptedAddIsRolledBackAllTheSame() {
    lab.install("a");
    lab.recorder
        .on(
            Verb.ADD,
            "a",
            _ -> {
              Thread.currentThread().interrupt();
              throw new CniException(ErrorCode.UNKNOWN, "interrupted");
            })
        .on(
            Verb.DEL,
            "a",
            _ -> {
              assertThat(Thread.currentThread().isInterrupted()).isFalse();
              return Recorder.ok("");
            });
    Network network =
        lab.builder().rollBackFailedAdds(Duration.ofMinutes(1)).build().network(list("1.0.0", "a"));
    fails(() -> network.add(container())).withMessageEndingWith("interrupted");
    assertThat(Thread.interrupted()).as("still interrupted afterwards").isTrue();
    assertThat(lab.recorder.order()).containsExactly("ADD a", "DEL a");
  }
}
