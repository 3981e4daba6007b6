package io.ocicat.cni.runtime;

import static io.ocicat.cni.runtime.Lab.container;
import static io.ocicat.cni.runtime.Lab.fails;
import static io.ocicat.cni.runtime.Lab.single;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.ocicat.base.json.Json;
import io.ocicat.cni.Attachment;
import io.ocicat.cni.Bandwidth;
import io.ocicat.cni.CniException;
import io.ocicat.cni.CniJson;
import io.ocicat.cni.ConfigList;
import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.PluginConfig;
import io.ocicat.cni.PortMapping;
import io.ocicat.cni.PortMapping.Protocol;
import io.ocicat.cni.Result;
import io.ocicat.cni.SpecVersion;
import io.ocicat.cni.exec.PluginReply;
import io.ocicat.cni.exec.TraceContext;
import io.ocicat.cni.exec.Verb;
import io.ocicat.testkit.Eventually;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * ADD as libcni's tests have it, of single plugins and of lists; and what they leave out:
 * deadlines, traces, observers, negotiated versions.
 */
class AddTest {
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
  void singlePluginIsAskedWithVariablesAndRequestAndItsResultReturned() {
    lab.install("noop");
    Network network = lab.cni().network(single("1.1.0", "noop"));
    Result result = network.add(container().arg("DEBUG", "1").arg("K", "V"));
    Recorder.Call call = lab.recorder.only();
    assertThat(call.verb()).isEqualTo(Verb.ADD);
    assertThat(call.environment())
        .containsEntry("CNI_COMMAND", "ADD")
        .containsEntry("CNI_CONTAINERID", "c1")
        .containsEntry("CNI_NETNS", Lab.NETNS)
        .containsEntry("CNI_IFNAME", "eth0")
        .containsEntry("CNI_ARGS", "DEBUG=1;K=V")
        .containsEntry("CNI_PATH", lab.plugins.toString())
        .containsAllEntriesOf(withoutCni(System.getenv()));
    assertThat(call.request())
        .isEqualTo(json("{\"type\":\"noop\",\"name\":\"net\",\"cniVersion\":\"1.1.0\"}"));
    assertThat(result.toJson())
        .isEqualTo(json("{\"cniVersion\":\"1.1.0\",\"ips\":[{\"address\":\"10.1.2.3/24\"}]}"));
  }

  private static Map<String, String> withoutCni(Map<String, String> environment) {
    Map<String, String> rest = new HashMap<>(environment);
    rest.keySet().removeIf(name -> name.startsWith("CNI_"));
    return rest;
  }

  @Test
  void cachesOriginalBytesArgumentsAndResult() {
    lab.install("noop");
    Cni cni = lab.cni();
    PluginConfig single = single("1.1.0", "noop");
    Container container =
        container().arg("A", "B").portMappings(new PortMapping(8080, 80, Protocol.TCP, null));
    Result result = cni.network(single).add(container);
    for (List<CachedAttachment> found : List.of(cni.attachments(), cni.attachments("c1"))) {
      assertThat(found).hasSize(1);
      CachedAttachment attachment = found.getFirst();
      assertThat(attachment.network()).hasToString("net");
      assertThat(attachment.container()).isEqualTo(container);
      assertThat(attachment.config()).isEqualTo(single.bytes());
      assertThat(attachment.result()).hasValue(result);
    }
    assertThat(cni.network(single).cachedResult(container)).hasValue(result);
    assertThat(cni.attachments("c2")).isEmpty();
  }

  @Test
  void onlyCapabilitiesThatAreDeclaredTrueAndGivenReachThePlugin() {
    lab.install("noop");
    PluginConfig config =
        PluginConfig.parse(
            """
            {"name":"net","cniVersion":"1.0.0","type":"noop",
             "capabilities":{"portMappings":true,"mac":true,"bandwidth":false}}
            """
                .getBytes(StandardCharsets.UTF_8));
    Container container =
        container()
            .portMappings(new PortMapping(8080, 80, Protocol.TCP, null))
            .bandwidth(new Bandwidth(1, 2, 3, 4))
            .capability("undeclared", json("1"));
    lab.cni().network(config).add(container);
    assertThat(lab.recorder.request(0).get("runtimeConfig"))
        .isEqualTo(
            json(
                "{\"portMappings\":[{\"hostPort\":8080,\"containerPort\":80,\"protocol\":\"tcp\"}]}"));
    assertThat(lab.recorder.request(0).has("capabilities")).isFalse();
  }

  @Test
  void withoutCommonCapabilitiesThereIsNoRuntimeConfigAtAll() {
    lab.install("noop");
    lab.cni().network(single("1.0.0", "noop")).add(container().capability("mac", json("\"x\"")));
    assertThat(lab.recorder.request(0).has("runtimeConfig")).isFalse();
  }

  @Test
  void capabilitiesStayInTheRequestWhenThatIsWanted() {
    lab.install("a");
    ConfigList list =
        ConfigList.parse(
            "{\"name\":\"net\",\"plugins\":[{\"type\":\"a\",\"capabilities\":{\"mac\":true}}]}");
    lab.builder().requestsKeepCapabilities(true).build().network(list).add(container());
    assertThat(lab.recorder.request(0).get("capabilities")).isEqualTo(json("{\"mac\":true}"));
  }

  @Test
  void unknownExecutableIsNotFound() {
    Network network = lab.cni().network(single("1.0.0", "noop"));
    fails(() -> network.add(container()))
        .withMessage("failed to find plugin \"noop\" in path [" + lab.plugins + "]");
  }

  @Test
  void errorOfASinglePluginSurfacesUnchanged() {
    lab.install("noop").recorder.on(Verb.ADD, "noop", Recorder.error(1234, "plugin error: x"));
    Network network = lab.cni().network(single("1.0.0", "noop"));
    fails(() -> network.add(container()))
        .withMessage("plugin error: x")
        .matches(e -> e.is(new ErrorCode(1234)));
    assertThat(lab.cacheFiles()).isEmpty();
  }

  @Test
  void resultsThatIsAFileIsAnErrorBeforeAnyPluginRuns() {
    Lab.write(lab.cache.resolve("results"), "");
    Network network = lab.network("1.0.0", "a");
    fails(() -> network.add(container()))
        .withMessageStartingWith("failed to set network \"net\" cached result: cannot write in ")
        .withMessageEndingWith("results: not a directory")
        .matches(e -> e.is(ErrorCode.IO_FAILURE));
    assertThat(lab.recorder.calls()).isEmpty();
  }

  @Test
  void aCacheThatCannotBeWrittenInTheEndIsAnErrorToo() throws IOException {
    Network network = lab.network("1.0.0", "a");
    lab.recorder.on(
        Verb.ADD,
        "a",
        _ -> {
          Lab.write(lab.cacheFile("net-c1-eth0").resolve("in-the-way"), "");
          return Recorder.ok("{}");
        });
    fails(() -> network.add(container()))
        .withMessageStartingWith("failed to set network \"net\" cached result: ");
  }

  @Test
  void everyPluginOfAListReceivesTheResultBeforeItAndItsOwnCapabilities() {
    lab.install("producer", "passthrough", "dns");
    lab.recorder
        .on(
            Verb.ADD,
            "producer",
            Recorder.ok(
                "{\"cniVersion\":\"1.1.0\",\"ips\":[{\"address\":\"10.9.0.2/24\"}],\"x\":9007199254740993}"))
        .on(
            Verb.ADD,
            "dns",
            call -> {
              ObjectNode result = (ObjectNode) call.request().get("prevResult").deepCopy();
              result.set("dns", json("{\"nameservers\":[\"1.2.3.4\"]}"));
              return Recorder.ok(Json.compact(result));
            });
    ConfigList list =
        ConfigList.parse(
            """
            {"name":"net","cniVersion":"1.1.0","plugins":[
              {"type":"producer","capabilities":{"portMappings":true},"some":"<&>"},
              {"type":"passthrough","capabilities":{"mac":true}},
              {"type":"dns"}]}
            """);
    Container container =
        container().capability("mac", json("\"m\"")).capability("portMappings", json("[]"));
    Result result = lab.cni().network(list).add(container);

    String first =
        "{\"cniVersion\":\"1.1.0\",\"ips\":[{\"address\":\"10.9.0.2/24\"}],\"x\":9007199254740993}";
    assertThat(lab.recorder.order()).containsExactly("ADD producer", "ADD passthrough", "ADD dns");
    assertThat(lab.recorder.request(0))
        .isEqualTo(
            json(
                "{\"type\":\"producer\",\"some\":\"<&>\",\"name\":\"net\",\"cniVersion\":\"1.1.0\",\"runtimeConfig\":{\"portMappings\":[]}}"));
    assertThat(lab.recorder.request(1))
        .isEqualTo(
            json(
                "{\"type\":\"passthrough\",\"name\":\"net\",\"cniVersion\":\"1.1.0\",\"runtimeConfig\":{\"mac\":\"m\"},\"prevResult\":%s}"
                    .formatted(first)));
    assertThat(lab.recorder.request(2))
        .isEqualTo(
            json(
                "{\"type\":\"dns\",\"name\":\"net\",\"cniVersion\":\"1.1.0\",\"prevResult\":%s}"
                    .formatted(first)));
    assertThat(lab.recorder.calls())
        .extracting(Recorder.Call::environment)
        .containsOnly(lab.recorder.calls().getFirst().environment());
    assertThat(result.toJson())
        .isEqualTo(
            json(
                "{\"cniVersion\":\"1.1.0\",\"ips\":[{\"address\":\"10.9.0.2/24\"}],\"dns\":{\"nameservers\":[\"1.2.3.4\"]},\"x\":9007199254740993}"));
    assertThat(lab.cni().network(list).cachedResult(container)).hasValue(result);
    CachedAttachment cached = lab.cni().attachments().getFirst();
    assertThat(cached.config()).isEqualTo(list.bytes());
  }

  @Test
  void secondPluginThatIsNotFoundKeepsTheFirstFromRunning() {
    lab.install("a");
    Network network = lab.cni().network(Lab.list("1.0.0", "a", "b"));
    fails(() -> network.add(container()))
        .withMessage(
            "plugin type=\"b\" failed (add): failed to find plugin \"b\" in path ["
                + lab.plugins
                + "]");
    assertThat(lab.recorder.calls()).isEmpty();
  }

  @Test
  void invalidContainerIdIsRefused() {
    fails(() -> Container.of("some-%%container-id", Lab.NETNS))
        .withMessage("invalid characters in containerID; some-%%container-id")
        .matches(e -> e.is(ErrorCode.INVALID_ENVIRONMENT));
  }

  @ParameterizedTest
  @ValueSource(strings = {"net-%%", "../net", "a/b"})
  void invalidNetworkNameIsRefused(String name) {
    ConfigList list =
        ConfigList.parse(
            "{\"name\":\"%s\",\"plugins\":[{\"type\":\"a\"}]}"
                .formatted(name.replace("%%", "%%%%")));
    fails(() -> lab.cni().network(list))
        .withMessageStartingWith("invalid characters found in network name; ")
        .matches(e -> e.is(ErrorCode.INVALID_NETWORK_CONFIG));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "1234567890123456", ".", "..", "a/b", "a:b", "a b"})
  void invalidInterfaceNameIsRefused(String name) {
    fails(() -> container().ifName(name)).matches(e -> e.is(ErrorCode.INVALID_ENVIRONMENT));
  }

  @Test
  void aContainerWithoutNamespaceIsRefused() {
    Network network = lab.network("1.0.0", "a");
    fails(() -> network.add(Container.of("c1", "")))
        .withMessage("container \"c1\" has no network namespace: ADD needs its path");
    assertThat(lab.recorder.calls()).isEmpty();
  }

  @Test
  void aListWithoutPluginsIsRefused() {
    Network network = lab.cni().network(ConfigList.parse("{\"name\":\"net\"}"));
    fails(() -> network.add(container())).withMessage("network \"net\" has no plugins");
  }

  @Test
  void aVersionNobodyKnowsIsRefusedBeforeAnyPluginRuns() {
    Network network = lab.network("1.2.3", "a");
    fails(() -> network.add(container()))
        .withMessageStartingWith("unsupported CNI version \"1.2.3\"")
        .matches(e -> e.is(ErrorCode.INCOMPATIBLE_VERSION));
    assertThat(lab.recorder.calls()).isEmpty();
  }

  @Test
  void secondPluginThatFailsEndsItWithoutResultAndWithoutCacheFile() {
    Network network = lab.network("1.0.0", "a", "b", "c");
    lab.recorder.on(Verb.ADD, "b", Recorder.error(11, "try again"));
    fails(() -> network.add(container()))
        .withMessage("plugin type=\"b\" failed (add): try again")
        .matches(e -> e.is(ErrorCode.TRY_AGAIN_LATER));
    assertThat(lab.recorder.order()).containsExactly("ADD a", "ADD b");
    assertThat(lab.cacheFiles()).isEmpty();
    assertThat(network.cachedResult(container())).isEmpty();
  }

  @Test
  void theErrorNamesThePluginByTheNameItHasItself() {
    lab.install("a").recorder.on(Verb.ADD, "a", Recorder.error(7, "no"));
    ConfigList list =
        ConfigList.parse("{\"name\":\"net\",\"plugins\":[{\"type\":\"a\",\"name\":\"own\"}]}");
    fails(() -> lab.cni().network(list).add(container()))
        .withMessage("plugin type=\"a\" name=\"own\" failed (add): no");
  }

  @Test
  void aResultWithoutVersionHasThatOfTheConfiguration() {
    Network network = lab.network("0.4.0", "a");
    lab.recorder.on(
        Verb.ADD, "a", Recorder.ok("{\"ips\":[{\"version\":\"4\",\"address\":\"10.0.0.1/8\"}]}"));
    assertThat(network.add(container()).version()).isEqualTo(SpecVersion.V0_4_0);
  }

  @Test
  void aResultOfAnotherVersionIsConvertedForTheNextPluginAndCachedAsItIs() {
    Network network = lab.network("1.0.0", "a", "b");
    String old =
        "{\"cniVersion\":\"0.4.0\",\"ips\":[{\"version\":\"4\",\"address\":\"10.0.0.1/8\"}],\"dns\":{}}";
    lab.recorder.on(Verb.ADD, "a", Recorder.ok(old)).on(Verb.ADD, "b", Recorder.ok(old));
    Result result = network.add(container());
    assertThat(lab.recorder.request(1).get("prevResult"))
        .isEqualTo(json("{\"cniVersion\":\"1.0.0\",\"ips\":[{\"address\":\"10.0.0.1/8\"}]}"));
    assertThat(result.version()).isEqualTo(SpecVersion.V0_4_0);
    assertThat(lab.cacheJson("net-c1-eth0").get("result")).isEqualTo(json(old));
    assertThat(network.cachedResult(container()).map(Result::version)).hasValue(SpecVersion.V1_0_0);
  }

  @Test
  void whatIsNoResultIsAnErrorThatShowsIt() {
    Network network = lab.network("1.0.0", "a");
    lab.recorder.on(Verb.ADD, "a", Recorder.ok("Hello"));
    fails(() -> network.add(container()))
        .withMessageStartingWith("plugin type=\"a\" failed (add): failed to unmarshal raw result: ")
        .withMessageContaining("\"Hello\"");
  }

  @Test
  void reservedMembersOfAFileAreDroppedWithAWarning() {
    lab.install("a");
    ConfigList list =
        ConfigList.parse(
            "{\"name\":\"net\",\"cniVersion\":\"1.0.0\",\"plugins\":[{\"type\":\"a\",\"prevResult\":{},\"runtimeConfig\":{},\"cni.dev/attachments\":[]}]}");
    lab.cni().network(list).add(container());
    assertThat(lab.recorder.request(0))
        .isEqualTo(json("{\"type\":\"a\",\"name\":\"net\",\"cniVersion\":\"1.0.0\"}"));
    assertThat(lab.warnings).hasSize(3).allMatch(w -> w.contains("only the runtime may set it"));
  }

  @Test
  void theTraceIsPassedOnToPlugins() {
    lab.install("a");
    List<Optional<TraceContext>> current = new ArrayList<>();
    current.add(
        TraceContext.parse(
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "vendor=1", "user=alice"));
    Cni cni =
        lab.builder()
            .environment(Map.of("TRACEPARENT", "inherited", "HOME", "/root"))
            .traceContext(current::getLast)
            .build();
    cni.network(Lab.list("1.0.0", "a")).add(container());
    assertThat(lab.recorder.calls().getFirst().environment())
        .containsEntry("TRACEPARENT", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
        .containsEntry("TRACESTATE", "vendor=1")
        .containsEntry("BAGGAGE", "user=alice")
        .containsEntry("HOME", "/root")
        .containsEntry("CNI_COMMAND", "ADD");
    current.add(Optional.empty());
    cni.network(Lab.list("1.0.0", "a")).del(container());
    assertThat(lab.recorder.calls().getLast().environment())
        .containsEntry("TRACEPARENT", "inherited")
        .doesNotContainKeys("TRACESTATE", "BAGGAGE");
  }

  @Test
  void theObserverHearsOfEveryPlugin() {
    lab.install("a", "b").recorder.on(Verb.ADD, "b", Recorder.error(7, "no"));
    List<PluginRun> runs = new ArrayList<>();
    Network network =
        lab.builder().observer(runs::add).build().network(Lab.list("1.0.0", "a", "b"));
    fails(() -> network.add(container()));
    assertThat(runs).hasSize(2);
    assertThat(runs.getFirst().failure()).isNull();
    assertThat(runs.getFirst().container()).isEqualTo(container());
    assertThat(runs.getLast())
        .satisfies(
            run -> {
              assertThat(run.verb()).isEqualTo(Verb.ADD);
              assertThat(run.network()).isEqualTo("net");
              assertThat(run.plugin()).isEqualTo("b");
              assertThat(run.took()).isPositive();
              assertThat(run.failure()).isInstanceOf(CniException.class).hasMessage("no");
            });
  }

  @Test
  void anObserverThatFailsChangesNothing() {
    lab.install("a");
    Cni cni =
        lab.builder()
            .observer(
                _ -> {
                  throw new IllegalStateException("oops");
                })
            .build();
    cni.network(Lab.list("1.0.0", "a")).add(container());
    assertThat(lab.cacheFiles()).hasSize(1);
    assertThat(lab.warnings)
        .containsExactly("the observer of plugins failed: java.lang.IllegalStateException: oops");
  }

  @Test
  void whatPluginsLogGoesToTheirLog() {
    lab.install("a")
        .recorder
        .on(
            Verb.ADD,
            "a",
            new PluginReply(0, "{}".getBytes(StandardCharsets.UTF_8), "look here\n"));
    List<String> log = new ArrayList<>();
    lab.builder()
        .pluginLog(
            (invocation, text) -> log.add(invocation.executable().getFileName() + ": " + text))
        .build()
        .network(Lab.list("1.0.0", "a"))
        .add(container());
    assertThat(log).containsExactly("a: look here\n");
  }

  @Test
  void pluginsShareTheTimeOfTheOperation() {
    lab.install("a", "b");
    Cni cni = lab.builder().timeLimit(Duration.ofMinutes(1)).build();
    cni.network(Lab.list("1.0.0", "a", "b")).add(container());
    assertThat(lab.recorder.calls())
        .extracting(Recorder.Call::limit)
        .isSortedAccordingTo(Comparator.reverseOrder())
        .allMatch(limit -> limit.compareTo(Duration.ofMinutes(1)) <= 0);
  }

  @Test
  void aPluginThatCannotFinishInTimeIsNotStarted() {
    lab.install("a", "b");
    lab.recorder.on(
        Verb.ADD,
        "a",
        call -> {
          Eventually.await("the time to pass", sleepUntil(call.limit()));
          return Recorder.ok("{}");
        });
    Network network =
        lab.builder().timeLimit(Duration.ofMillis(20)).build().network(Lab.list("1.0.0", "a", "b"));
    fails(() -> network.add(container()))
        .withMessageStartingWith(
            "plugin type=\"b\" failed (add): netplugin failed with no error message: no time was left to start it");
    assertThat(lab.recorder.order()).containsExactly("ADD a");
  }

  private static BooleanSupplier sleepUntil(Duration limit) {
    long end = System.nanoTime() + limit.toNanos();
    return () -> System.nanoTime() - end > 0;
  }

  @Test
  void aLimitThatIsNoneIsRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Cni.builder().timeLimit(Duration.ZERO))
        .withMessage("a time limit must be positive, not PT0S");
  }

  @Test
  void theVersionIsNegotiatedWithPluginsWhenThatIsWanted() {
    lab.install("new", "old")
        .recorder
        .on(
            Verb.VERSION,
            "old",
            Recorder.ok(
                "{\"cniVersion\":\"1.0.0\",\"supportedVersions\":[\"0.3.1\",\"0.4.0\",\"1.0.0\"]}"));
    ConfigList list =
        ConfigList.parse(
            "{\"name\":\"net\",\"cniVersion\":\"0.4.0\",\"cniVersions\":[\"1.0.0\",\"1.1.0\"],\"plugins\":[{\"type\":\"new\"},{\"type\":\"old\"}]}");
    lab.cni().network(list).add(container());
    assertThat(lab.recorder.request(0).get("cniVersion")).isEqualTo(json("\"1.1.0\""));
    lab.cni().network(list).del(container());
    lab.recorder.clear();

    Cni cni = lab.builder().negotiatesWithPlugins(true).build();
    cni.network(list).add(container());
    cni.network(list).add(container().ifName("eth1"));
    assertThat(lab.recorder.order())
        .containsExactly("VERSION new", "VERSION old", "ADD new", "ADD old", "ADD new", "ADD old");
    assertThat(lab.recorder.request(2).get("cniVersion")).isEqualTo(json("\"1.0.0\""));
    lab.recorder.clear();

    cni.network(list).check(container());
    assertThat(lab.recorder.order()).containsExactly("CHECK new", "CHECK old");
    assertThat(lab.recorder.request(0).get("cniVersion")).isEqualTo(json("\"1.0.0\""));
    lab.recorder.clear();
    cni.network(list).status();
    cni.network(list).gc(List.of(new Attachment("c1", "eth0"), new Attachment("c1", "eth1")));
    assertThat(lab.recorder.order()).as("1.0.0 has neither STATUS nor GC").isEmpty();
    cni.network(list).del(Container.of("unknown", ""));
    assertThat(lab.recorder.request(0).get("cniVersion")).isEqualTo(json("\"1.0.0\""));
    lab.recorder.clear();

    // DEL by another process, which negotiates nothing, uses what was negotiated.
    lab.cni().network(list).del(container());
    assertThat(lab.recorder.order()).containsExactly("DEL old", "DEL new");
    assertThat(lab.recorder.request(0).get("cniVersion")).isEqualTo(json("\"1.0.0\""));
    assertThat(lab.recorder.request(0).get("prevResult").get("cniVersion"))
        .isEqualTo(json("\"1.0.0\""));
  }

  @Test
  void noCommonVersionIsAnErrorThatTellsWhoSupportsWhat() {
    lab.install("a")
        .recorder
        .on(
            Verb.VERSION,
            "a",
            Recorder.ok("{\"cniVersion\":\"0.4.0\",\"supportedVersions\":[\"0.4.0\"]}"));
    ConfigList list =
        ConfigList.parse(
            "{\"name\":\"net\",\"cniVersions\":[\"1.0.0\",\"1.1.0\"],\"plugins\":[{\"type\":\"a\"}]}");
    Network network = lab.builder().negotiatesWithPlugins(true).build().network(list);
    fails(() -> network.add(container()))
        .withMessage(
            "no version of network \"net\" is supported by all its plugins; config has [\"1.1.0\" \"1.0.0\"], plugin \"a\" supports [\"0.4.0\"]");
    assertThat(lab.recorder.order()).containsExactly("VERSION a");
  }

  @Test
  void pluginsOfTheFolderAreRunAndRememberedForDel() throws IOException {
    lab.install("a", "b");
    Lab.write(
        lab.conf.resolve("10-net.conflist"),
        "{\"name\":\"net\",\"cniVersion\":\"1.0.0\",\"plugins\":[{\"type\":\"a\"}]}");
    Path extra = Lab.write(lab.conf.resolve("net/10-b.conf"), "{\"type\":\"b\"}");
    lab.cni().network("net").add(container());
    Files.delete(extra);
    lab.cni().network("net").del(container());
    assertThat(lab.recorder.order()).containsExactly("ADD a", "ADD b", "DEL b", "DEL a");
  }
}
