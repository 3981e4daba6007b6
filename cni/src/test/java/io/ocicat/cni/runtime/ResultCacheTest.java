package io.ocicat.cni.runtime;

import static io.ocicat.cni.runtime.Lab.container;
import static io.ocicat.cni.runtime.Lab.fails;
import static io.ocicat.cni.runtime.Lab.list;
import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.base.json.Json;
import io.ocicat.cni.CniJson;
import io.ocicat.cni.ConfigList;
import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.PortMapping;
import io.ocicat.cni.PortMapping.Protocol;
import io.ocicat.cni.Result;
import io.ocicat.cni.exec.Verb;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.node.ObjectNode;

/**
 * libcni's cache, as its own tests have it; and what they leave out: concurrent writers, torn and
 * hostile files, names that collide or are too long.
 */
class ResultCacheTest {
  private static final String FILE = "net-c1-eth0";

  @TempDir Path directory;
  private Lab lab;

  @BeforeEach
  void open() {
    lab = new Lab(directory);
  }

  private static String base64(String text) {
    return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
  }

  private String mode(Path file) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
  }

  @Test
  void writesExactlyWhatLibcniWrites() throws IOException {
    lab.install("a");
    ConfigList list = list("1.1.0", "a");
    lab.cni()
        .network(list)
        .add(
            container()
                .arg("IgnoreUnknown", "1")
                .arg("K8S_POD_NAME", "web-0")
                .portMappings(new PortMapping(8080, 80, Protocol.TCP, null)));
    assertThat(Files.readString(lab.cacheFile(FILE)))
        .isEqualTo(
            "{\"kind\":\"cniCacheV1\",\"containerId\":\"c1\",\"config\":\""
                + Base64.getEncoder().encodeToString(list.bytes())
                + "\",\"ifName\":\"eth0\",\"networkName\":\"net\",\"netns\":\"/run/netns/lab\","
                + "\"cniArgs\":[[\"IgnoreUnknown\",\"1\"],[\"K8S_POD_NAME\",\"web-0\"]],"
                + "\"capabilityArgs\":{\"portMappings\":[{\"hostPort\":8080,\"containerPort\":80,\"protocol\":\"tcp\"}]},"
                + "\"result\":{\"cniVersion\":\"1.1.0\",\"ips\":[{\"address\":\"10.1.2.3/24\"}]}}");
  }

  @Test
  void leavesOutWhatIsEmpty() {
    lab.network("1.0.0", "a").add(container());
    assertThat(lab.cacheJson(FILE).propertyNames())
        .containsExactly(
            "kind", "containerId", "config", "ifName", "networkName", "netns", "result");
  }

  @Test
  void onlyItsOwnerCanReadIt() throws IOException {
    lab.network("1.0.0", "a").add(container());
    assertThat(mode(lab.cache)).isEqualTo("rwx------");
    assertThat(mode(lab.cache.resolve("results"))).isEqualTo("rwx------");
    assertThat(mode(lab.cacheFile(FILE))).isEqualTo("rw-------");
    assertThat(mode(lab.cacheFile(".ocicat"))).isEqualTo("rwx------");
    assertThat(mode(lab.cacheFile(".ocicat").resolve("lock"))).isEqualTo("rw-------");
  }

  @Test
  void twoInterfacesOnOneNetworkAreTwoFiles() {
    Network network = lab.network("1.0.0", "a");
    lab.recorder.on(
        Verb.ADD,
        "a",
        call ->
            Recorder.ok(
                "{\"cniVersion\":\"1.0.0\",\"ips\":[{\"address\":\"10.0.0.%s/24\"}]}"
                    .formatted(call.variable("CNI_IFNAME").substring(3))));
    network.add(container().ifName("eth1"));
    network.add(container().ifName("eth2"));
    assertThat(lab.cacheFiles()).containsExactly("net-c1-eth1", "net-c1-eth2");
    for (String number : List.of("1", "2")) {
      ObjectNode file = lab.cacheJson("net-c1-eth" + number);
      assertThat(file.get("kind").stringValue()).isEqualTo("cniCacheV1");
      assertThat(file.get("containerId").stringValue()).isEqualTo("c1");
      assertThat(file.get("networkName").stringValue()).isEqualTo("net");
      assertThat(file.get("ifName").stringValue()).isEqualTo("eth" + number);
      assertThat(file.get("result").get("ips").get(0).get("address").stringValue())
          .isEqualTo("10.0.0." + number + "/24");
    }
  }

  @Test
  void tellsArgumentsAndCapabilitiesOfABareContainer() {
    Network network = lab.network("1.0.0", "a");
    Container full = container().arg("K", "V").capability("mac", CniJson.parse("\"02::\""));
    network.add(full);
    CachedAttachment cached = network.cachedAttachment(container()).orElseThrow();
    assertThat(cached.container()).isEqualTo(full);
    assertThat(cached.config()).isEqualTo(network.config().bytes());
  }

  @ParameterizedTest
  @CsvSource({"'',c1,eth0", "net,'',eth0", "net,c1,''"})
  void needsAllThreePartsOfAFileName(String network, String id, String ifName) {
    fails(() -> CacheKey.of(network, id, ifName))
        .withMessage(
            "cache file path requires network name (\"%s\"), container ID (\"%s\"), and interface name (\"%s\")"
                .formatted(network, id, ifName));
  }

  @ParameterizedTest
  @CsvSource({"../net,c1,eth0", "net,../c1,eth0", "net,c1,../eth0", "net,c1/..,eth0", "net,c1,.."})
  void noPartCanLeadElsewhere(String network, String id, String ifName) {
    fails(() -> CacheKey.of(network, id, ifName));
  }

  @Test
  void aFileThatIsNotJsonIsAnErrorToWhoeverAsksForIt() {
    Network network = lab.network("1.0.0", "a");
    Lab.write(lab.cacheFile(FILE), "adfadsfasdfasfdsafaf");
    fails(() -> network.cachedAttachment(container()))
        .withMessageStartingWith("failed to unmarshal cached network \"net\" config: ");
    fails(() -> network.cachedResult(container()))
        .withMessageStartingWith("decoding version from network config: not valid JSON");
  }

  @Test
  void whatIsMissingIsEmptyWithoutError() {
    Network network = lab.network("1.0.0", "a");
    assertThat(network.cachedAttachment(container())).isEmpty();
    assertThat(network.cachedResult(container())).isEmpty();
    assertThat(lab.cni().attachments()).isEmpty();
    assertThat(lab.cni().attachments("c1")).isEmpty();
    assertThat(lab.cache).doesNotExist();
  }

  @Test
  void theLegacyFormatIsReadAsAResultAndIsNoAttachment() {
    Network network = lab.network("1.0.0", "a");
    Lab.write(lab.cacheFile(FILE), "{\"ip4\":{\"ip\":\"10.1.2.3/24\"}}");
    assertThat(network.cachedResult(container()).map(Result::toJson))
        .hasValue(
            (ObjectNode)
                CniJson.parse(
                    "{\"cniVersion\":\"1.0.0\",\"ips\":[{\"address\":\"10.1.2.3/24\"}]}"));
    assertThat(network.cachedAttachment(container())).isEmpty();
    assertThat(network.attachments()).isEmpty();
  }

  @Test
  void readsWhatGoWrote() {
    Lab.write(
        lab.cacheFile("edge-net-c42-eth0"),
        """
        {"kind":"cniCacheV1","containerId":"c42","config":"%s","ifName":"eth0","networkName":"edge-net",
         "netns":"/run/netns/blue","cniArgs":[["IgnoreUnknown","1"],["URL","http://x/?a=b"]],
         "capabilityArgs":{"portMappings":[{"hostPort":8080}],"none":null},
         "result":{"cniVersion":"1.1.0","ips":[{"address":"10.77.0.4/16"}]},"newer":{"member":1}}
        """
            .formatted(base64("{\"name\":\"edge-net\",\"plugins\":[{\"type\":\"a\"}]}")));
    CachedAttachment found = lab.cni().attachments("c42").getFirst();
    assertThat(found.container())
        .isEqualTo(
            Container.of("c42", "/run/netns/blue")
                .arg("IgnoreUnknown", "1")
                .capability("portMappings", CniJson.parse("[{\"hostPort\":8080}]")));
    assertThat(found.result().map(Result::ips).orElseThrow()).hasSize(1);
    assertThat(lab.cni().network(found).name()).isEqualTo("edge-net");
    assertThat(lab.warnings).isEmpty();
  }

  @Test
  void anEntryWithoutResultIsAnEmptyOne() {
    Network network = lab.network("1.0.0", "a");
    network.add(container());
    ObjectNode entry = lab.cacheJson(FILE);
    entry.remove("result");
    Lab.write(lab.cacheFile(FILE), Json.compact(entry));
    assertThat(network.cachedResult(container()).map(Result::toJson))
        .hasValue((ObjectNode) CniJson.parse("{\"cniVersion\":\"1.0.0\"}"));
    assertThat(network.attachments().getFirst().result()).isEmpty();
  }

  @Test
  void aResultThatCannotBeConvertedIsAnError() {
    Network network = lab.network("0.2.0", "a");
    Lab.write(lab.cacheFile(FILE), "{\"cniVersion\":\"1.0.0\"}");
    fails(() -> network.cachedResult(container()))
        .withMessageStartingWith(
            "failed to convert cached result to config version \"0.2.0\": cannot convert: no valid IP addresses")
        .matches(e -> e.is(ErrorCode.INCOMPATIBLE_VERSION));
  }

  @Test
  void thePluginsOfTheFolderAreKeptWhereLibcniDoesNotLook() {
    lab.install("a", "b");
    Path file =
        Lab.write(
            lab.conf.resolve("10-net.conflist"),
            "{\"name\":\"net\",\"cniVersions\":[\"1.0.0\",\"1.1.0\"],\"plugins\":[{\"type\":\"a\"}]}");
    Lab.write(lab.conf.resolve("net/10.conf"), "{\"type\":\"b\",\"n\":9007199254740993}");
    lab.cni().network("net").add(container());
    ObjectNode entry = lab.cacheJson(FILE);
    assertThat(Base64.getDecoder().decode(entry.get("config").stringValue()))
        .asString(StandardCharsets.UTF_8)
        .isEqualTo(read(file));
    assertThat(entry.get("io.ocicat"))
        .isEqualTo(
            CniJson.parse(
                "{\"list\":{\"name\":\"net\",\"plugins\":[{\"type\":\"a\"},{\"type\":\"b\",\"n\":9007199254740993}],\"cniVersion\":\"1.1.0\"}}"));
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void attachmentsWhoseFileNamesAreTheSameDoNotMeet() {
    lab.install("a");
    Cni cni = lab.cni();
    Network shortName = cni.network(list("1.0.0", "a"));
    Network longName =
        cni.network(
            ConfigList.parse(
                "{\"name\":\"net-c1\",\"cniVersion\":\"1.0.0\",\"plugins\":[{\"type\":\"a\"}]}"));
    Container first = Container.of("c1-x", Lab.NETNS);
    Container second = Container.of("x", Lab.NETNS);
    shortName.add(first);
    longName.add(second);
    assertThat(lab.cacheFiles()).hasSize(2).contains("net-c1-x-eth0");
    assertThat(shortName.cachedAttachment(first).map(CachedAttachment::container)).hasValue(first);
    assertThat(longName.cachedAttachment(second).map(CachedAttachment::container)).hasValue(second);
    assertThat(cni.attachments("x")).hasSize(1);
    assertThat(cni.attachments("c1-x")).hasSize(1);
    shortName.del(first);
    longName.check(second);
    longName.del(second);
    assertThat(lab.cacheFiles()).isEmpty();
    longName.del(second);
    shortName.add(first);
    longName.del(second);
    assertThat(lab.cacheFiles()).containsExactly("net-c1-x-eth0");
  }

  @Test
  void namesThatAreTooLongForAFileAreNotTooLongForUs() {
    lab.install("a");
    String name = "n".repeat(200);
    String id = "i".repeat(200);
    Cni cni = lab.cni();
    Network network =
        cni.network(
            ConfigList.parse(
                "{\"name\":\"%s\",\"cniVersion\":\"1.0.0\",\"plugins\":[{\"type\":\"a\"}]}"
                    .formatted(name)));
    Container container = Container.of(id, Lab.NETNS);
    network.add(container);
    network.check(container);
    assertThat(lab.cacheFiles()).singleElement().asString().hasSizeLessThan(255).startsWith("nnn");
    assertThat(cni.attachments(id)).hasSize(1);
    assertThat(cni.attachments()).hasSize(1);
    network.del(container);
    assertThat(lab.cacheFiles()).isEmpty();
  }

  @Test
  void theLongestNameThatFitsIsLibcnis() {
    lab.install("a");
    String id = "i".repeat(255 - "net--eth0".length());
    lab.network("1.0.0", "a").add(Container.of(id, Lab.NETNS));
    assertThat(lab.cacheFiles()).containsExactly("net-" + id + "-eth0");
  }

  @Test
  void interfaceNamesBeyondAsciiAreNoProblem() {
    Network network = lab.network("1.0.0", "a");
    Container container = container().ifName("é☃");
    network.add(container);
    network.check(container);
    assertThat(network.attachments()).hasSize(1);
    network.del(container);
    assertThat(lab.cacheFiles()).isEmpty();
  }

  @Test
  void aHostileEntryLeadsNowhere() {
    Lab.write(lab.cache.resolve("victim"), "precious");
    Lab.write(
        lab.cacheFile(FILE),
        "{\"kind\":\"cniCacheV1\",\"containerId\":\"../../victim\",\"ifName\":\"eth0\",\"networkName\":\"..\"}");
    assertThat(lab.cni().attachments()).isEmpty();
    assertThat(lab.warnings).singleElement().asString().contains("is unusable");
    lab.network("1.0.0", "a").del(container());
    assertThat(lab.cache.resolve("victim")).exists();
  }

  @Test
  void aDraftThatAKilledWriterLeftIsOverwrittenAndRemoved() throws IOException {
    Network network = lab.network("1.0.0", "a");
    network.add(container());
    Path own = lab.cacheFile(".ocicat");
    Path draft = own.resolve(CacheKey.of("net", "c1", "eth0").digest());
    Files.writeString(draft, "{\"kind\":\"cniCac");
    assertThat(network.attachments()).hasSize(1);
    network.add(container());
    assertThat(draft).doesNotExist();
    Files.writeString(draft, "{\"kind\":\"cniCac");
    network.del(container());
    assertThat(own).isDirectoryContaining("glob:**/lock");
    assertThat(draft).doesNotExist();
  }

  @Test
  void aDraftDoesNotFollowALinkSomewhereElse() throws IOException {
    Network network = lab.network("1.0.0", "a");
    network.add(container());
    Path victim = Lab.write(directory.resolve("victim"), "precious");
    Path draft = lab.cacheFile(".ocicat").resolve(CacheKey.of("net", "c1", "eth0").digest());
    Files.createSymbolicLink(draft, victim);
    fails(() -> network.add(container())).matches(e -> e.is(ErrorCode.IO_FAILURE));
    assertThat(victim).hasContent("precious");
  }

  @Test
  void manyWritersAndReadersAtOnceSeeWholeFilesOnly() throws Exception {
    Network network = lab.network("1.0.0", "a");
    List<String> ids = Stream.iterate(0, i -> i + 1).limit(8).map(i -> "c" + i).toList();
    List<Runnable> tasks = new ArrayList<>();
    for (String id : ids) {
      Container container = Container.of(id, Lab.NETNS);
      Runnable task =
          () -> {
            for (int round = 0; round < 5; round++) {
              network.add(container);
              network.attachments();
              network.del(container);
            }
            network.add(container);
          };
      tasks.addAll(Collections.nCopies(3, task));
    }
    Lab.together(tasks);
    assertThat(network.attachments()).hasSize(ids.size());
    assertThat(lab.warnings).isEmpty();
    try (Stream<Path> own = Files.list(lab.cacheFile(".ocicat"))) {
      assertThat(own.map(p -> p.getFileName().toString())).containsExactly("lock");
    }
  }

  @Test
  void unreadableEntriesAreMissing() throws IOException {
    Network network = lab.network("1.0.0", "a");
    Files.createDirectories(lab.cacheFile(FILE));
    assertThat(network.cachedResult(container())).isEmpty();
    Files.write(lab.cacheFile("net-c2-eth0"), new byte[(4 << 20) + 1]);
    assertThat(network.cachedResult(Container.of("c2", ""))).isEmpty();
    assertThat(lab.warnings).singleElement().asString().contains("has 4194305 bytes: ignored");
  }
}
