package io.ocicat.plugins.httpipam;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.cni.CniException;
import io.ocicat.cni.CniJson;
import io.ocicat.cni.ErrorCode;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** The plugin and the reference server, over loopback. */
class HttpIpamPluginTest {
  @TempDir private Path directory;
  private RunningServer server;
  private ObjectNode config;

  @BeforeEach
  void start() {
    server = new RunningServer(directory);
    config = server.config();
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private ObjectNode ipam() {
    return (ObjectNode) config.get("ipam");
  }

  @ParameterizedTest
  @ValueSource(strings = {"0.3.0", "0.3.1", "0.4.0", "1.0.0", "1.1.0"})
  void addGivesWhatTheServerGives(String version) {
    config.put("cniVersion", version);
    JsonNode result = Calling.of(config, "c1").ok("ADD");
    assertThat(result.path("cniVersion").asString()).isEqualTo(version);
    assertThat(result.at("/ips/0/address").asString()).isEqualTo("10.9.0.5/24");
    assertThat(result.at("/ips/0/gateway").asString()).isEqualTo("10.9.0.1");
    assertThat(result.at("/ips/0").has("version")).isEqualTo(version.startsWith("0."));
    assertThat(result.has("interfaces")).isFalse();
    assertThat(result.at("/routes/0/dst").asString()).isEqualTo("10.99.0.0/16");
    assertThat(result.at("/dns/nameservers/0").asString()).isEqualTo("10.9.0.2");
  }

  /** With a configuration from the documentation. */
  @ParameterizedTest
  @ValueSource(strings = {"0.1.0", "0.2.0"})
  void oldVersionsHaveAnObjectPerFamily(String version) {
    String text =
        """
        {"cniVersion": "%s", "name": "both", "type": "bridge", "bridge": "br0", "isGateway": false,
         "ipMasq": false, "hairpinMode": true,
         "ipam": {"type": "ipam", "token": "%s", "serverURL": "%s"}}
        """
            .formatted(version, RunningServer.TOKEN, server.url());
    ObjectNode seed = (ObjectNode) CniJson.parse(text);

    JsonNode result = Calling.of(seed, "c1").ok("ADD");

    assertThat(result.at("/ip4/ip").asString()).isEqualTo("10.7.0.2/24");
    assertThat(result.at("/ip4/gateway").asString()).isEqualTo("10.7.0.1");
    assertThat(result.at("/ip6/ip").asString()).isEqualTo("fd00:7::2/64");
    Calling.of(seed, "c1").ok("DEL");
  }

  @Test
  void theSameAttachmentHasTheSameAddressUntilItIsDeleted() {
    Calling c1 = Calling.of(config, "c1");
    JsonNode first = c1.ok("ADD");
    assertThat(c1.ok("ADD")).isEqualTo(first);
    assertThat(c1.with("CNI_IFNAME", "net1").ok("ADD").at("/ips/0/address").asString())
        .isEqualTo("10.9.0.6/24");
    c1.ok("DEL");
    c1.ok("DEL");
    c1.with("CNI_NETNS", "").ok("DEL");
    assertThat(c1.ok("ADD")).isNotEqualTo(first);
  }

  @Test
  void theConfigurationMaySayOtherRoutesAndOtherDns() {
    ipam().putArray("routes").addObject().put("dst", "0.0.0.0/0").put("gw", "10.9.0.254");
    ipam().putObject("dns").putArray("nameservers");
    JsonNode result = Calling.of(config, "c1").ok("ADD");
    assertThat(result.path("routes").toString())
        .isEqualTo("[{\"dst\":\"0.0.0.0/0\",\"gw\":\"10.9.0.254\"}]");
    assertThat(result.has("dns")).isFalse();
    ipam().putArray("routes");
    assertThat(Calling.of(config, "c2").ok("ADD").has("routes")).isFalse();
  }

  @Test
  void theServerIsToldWhoAsks() throws IOException {
    ipam().put("leaseSeconds", 60).put("pool", "both").putArray("families").add("ipv6");
    config.put("name", "anything");
    Calling.of(config, "c1")
        .with(
            "CNI_ARGS",
            "IgnoreUnknown=1;K8S_POD_NAMESPACE=default;K8S_POD_NAME=web-0;K8S_POD_UID=u1;X=y")
        .ok("ADD");
    JsonNode item = allocations().get(0);
    assertThat(item.path("node").asString()).isEqualTo("n1");
    assertThat(item.path("pool").asString()).isEqualTo("both");
    assertThat(item.path("leaseSeconds").asInt()).isEqualTo(60);
    assertThat(item.path("addresses")).hasSize(1);
    assertThat(item.path("pod").toString())
        .isEqualTo("{\"namespace\":\"default\",\"name\":\"web-0\",\"uid\":\"u1\"}");
    ipam().remove("node");
    Calling.of(config, "c2").ok("ADD");
    assertThat(allocations().get(1).path("node").asString())
        .isEqualTo(Files.readString(Path.of("/proc/sys/kernel/hostname")).strip());
  }

  @Test
  void anAddressCanBeAskedForInThreeWays() {
    assertThat(address(Calling.of(config, "c1").with("CNI_ARGS", "IP=10.9.0.77")))
        .isEqualTo("10.9.0.77/24");
    ObjectNode runtime = config.deepCopy();
    runtime.putObject("runtimeConfig").putArray("ips").add("10.9.0.78/24");
    assertThat(address(Calling.of(runtime, "c2"))).isEqualTo("10.9.0.78/24");
    ObjectNode args = config.deepCopy();
    args.putObject("args").putObject("cni").putArray("ips").add("10.9.0.79");
    assertThat(address(Calling.of(args, "c3"))).isEqualTo("10.9.0.79/24");

    CniException taken = Calling.of(config, "c4").with("CNI_ARGS", "IP=10.9.0.77").error("ADD");
    assertThat(taken.code().value()).isEqualTo(103);
    assertThat(taken.msg()).contains("10.9.0.77 of pool \"mynet\" is in use");
    assertThat(Calling.of(config, "c4").with("CNI_ARGS", "IP=x").error("ADD").code())
        .isEqualTo(ErrorCode.INVALID_ENVIRONMENT);
    assertThat(Calling.of(config, "c4").with("CNI_ARGS", "FOO=x").error("ADD").msg())
        .isEqualTo("ARGS: unknown args [\"FOO=x\"]");
  }

  @Test
  void anExhaustedPoolSaysSoAndHowFullItIs() {
    config.put("name", "tiny");
    Calling.of(config, "c1").ok("ADD");
    CniException error = Calling.of(config, "c2").error("ADD");
    assertThat(error.code().value()).isEqualTo(101);
    assertThat(error.msg())
        .isEqualTo(
            "the IPAM server %s refuses: no free ipv4 address in pool \"tiny\": 1 of 1 in use, 0 resting after release (status 409 exhausted)"
                .formatted(server.url()));
    ipam().put("pool", "tiny");
    assertThat(Calling.of(config, "").error("STATUS").msg())
        .isEqualTo("all 1 ipv4 addresses of pool \"tiny\" are in use");
    Calling.of(config, "c1").ok("DEL");
    Calling.of(config, "").ok("STATUS");
    Calling.of(config, "c2").ok("ADD");
  }

  @Test
  void oneFamilyCanBeFullWhileTheOtherIsNot() {
    config.put("name", "uneven");
    ipam().put("pool", "uneven");
    Calling.of(config, "c1").ok("ADD");
    assertThat(Calling.of(config, "c2").error("ADD").msg())
        .contains("no free ipv4 address in pool \"uneven\": 1 of 1 in use");
    assertThat(Calling.of(config, "").error("STATUS").msg())
        .isEqualTo("all 1 ipv4 addresses of pool \"uneven\" are in use");
    ipam().putArray("families").add("ipv6");
    Calling.of(config, "").ok("STATUS");
    Calling.of(config, "c2").ok("ADD");
  }

  @Test
  void aBadTokenIsExplained() throws IOException {
    Path file = Files.writeString(directory.resolve("token"), "wrong-token-wrong-token\n");
    ipam().put("token", "wrong-token-wrong-token");
    for (String verb : List.of("ADD", "DEL")) {
      CniException error = Calling.of(config, "c1").error(verb);
      assertThat(error.code().value()).isEqualTo(102);
      assertThat(error.msg())
          .isEqualTo(
              "the IPAM server %s refuses: the bearer token is not known here (status 401 unauthorized)"
                  .formatted(server.url()));
      assertThat(error.details())
          .isEqualTo(
              "the token comes from ipam.token of the network configuration: put one there that the server accepts")
          .doesNotContain("wrong-token");
    }
    ipam().remove("token");
    ipam().put("tokenFile", file.toString());
    assertThat(Calling.of(config, "c1").error("ADD").details())
        .isEqualTo(
            "the token comes from %s: put one there that the server accepts".formatted(file));
    Files.writeString(file, "  " + RunningServer.TOKEN + "\n");
    Calling.of(config, "c1").ok("ADD");
  }

  @Test
  void aServerThatIsNotThereIsToBeTriedAgainLater() {
    server.stop();
    ipam().put("retries", 1);
    for (String verb : List.of("ADD", "DEL")) {
      CniException error = Calling.of(config, "c1").error(verb);
      assertThat(error.code()).isEqualTo(ErrorCode.TRY_AGAIN_LATER);
      assertThat(error.msg())
          .isEqualTo("cannot reach the IPAM server %s: connection refused".formatted(server.url()));
      assertThat(error.details()).contains("attempts: 2", "is ipam.serverURL right?");
    }
    assertThat(Calling.of(config, "").error("STATUS").code())
        .isEqualTo(ErrorCode.PLUGIN_NOT_AVAILABLE);
    server.start();
    Calling.of(config, "c1").ok("ADD");
  }

  @Test
  void theCallersDeadlineEndsTheAttempts() {
    server.stop();
    ipam().put("retries", 20).put("timeoutMs", 1000);
    CniException error = Calling.of(config, "c1").within(Duration.ofMillis(700)).error("ADD");
    assertThat(error.code()).isEqualTo(ErrorCode.TRY_AGAIN_LATER);
    assertThat(Calling.of(config, "c1").within(Duration.ZERO).error("DEL").msg())
        .contains("there was no time left to ask");
  }

  @Test
  void aServerThatComesBackMeanwhileAnswers() throws Exception {
    Calling c1 = Calling.of(config, "c1");
    JsonNode before = c1.ok("ADD");
    server.stop();
    ipam().put("retries", 20);
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      Future<JsonNode> again = threads.submit(() -> c1.ok("ADD"));
      Future<JsonNode> other = threads.submit(() -> Calling.of(config, "c2").ok("ADD"));
      Thread.sleep(300);
      server.start();
      assertThat(again.get()).as("its lease survived").isEqualTo(before);
      assertThat(other.get().at("/ips/0/address").asString()).isEqualTo("10.9.0.6/24");
    }
  }

  @Test
  void manyContainersAtOnceNeverShareAnAddress() throws Exception {
    List<Future<String>> asked = new ArrayList<>();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < 40; i++) {
        Calling calling = Calling.of(config, "c" + i);
        asked.add(threads.submit(() -> address(calling)));
      }
    }
    List<String> ips = new ArrayList<>();
    for (Future<String> each : asked) {
      ips.add(each.get());
    }
    assertThat(ips).doesNotHaveDuplicates().hasSize(40);
  }

  @Test
  void checkComparesAndRenewsTheLease() {
    ipam().put("leaseSeconds", 100);
    Calling c1 = Calling.of(config, "c1");
    config.set("prevResult", c1.ok("ADD"));
    server.passSeconds(60);
    c1.ok("CHECK");
    server.passSeconds(60);
    c1.ok("CHECK");

    ObjectNode drifted = config.deepCopy();
    ((ObjectNode) drifted.at("/prevResult/ips/0")).put("address", "10.9.0.99/24");
    CniException error = Calling.of(drifted, "c1").error("CHECK");
    assertThat(error.code().value()).isEqualTo(104);
    assertThat(error.msg())
        .isEqualTo(
            "container c1, interface eth0 has 10.9.0.5/24 there, which is not in [10.9.0.99/24]");

    server.passSeconds(101);
    CniException expired = c1.error("CHECK");
    assertThat(expired.code().value()).isEqualTo(104);
    assertThat(expired.msg()).isEqualTo("container c1, interface eth0 has no allocation any more");
    config.remove("prevResult");
    assertThat(c1.error("CHECK").msg()).isEqualTo("required prevResult missing");
  }

  @Test
  void gcReleasesWhatIsNotInUseAnyMore() {
    Calling.of(config, "used").ok("ADD");
    Calling.of(config, "gone").ok("ADD");
    ObjectNode elsewhere = config.deepCopy();
    ((ObjectNode) elsewhere.get("ipam")).put("node", "n2");
    Calling.of(elsewhere, "elsewhere").ok("ADD");
    Calling.of(config, "").ok("GC");
    assertThat(allocations()).as("nothing was said about what is in use").hasSize(3);

    config
        .putArray("cni.dev/valid-attachments")
        .addObject()
        .put("containerID", "used")
        .put("ifname", "eth0");
    Calling.of(config, "").ok("GC");
    assertThat(allocations())
        .extracting(item -> item.path("containerId").asString())
        .containsExactly("used", "elsewhere");
    config.putNull("cni.dev/valid-attachments");
    Calling.of(config, "").ok("GC");
    assertThat(allocations()).hasSize(1);
  }

  @Test
  void statusIsFineWhenTheServerIs() {
    Calling.of(config, "").ok("STATUS");
    ipam().put("token", "wrong-token-wrong-token");
    CniException error = Calling.of(config, "").error("STATUS");
    assertThat(error.code()).isEqualTo(ErrorCode.PLUGIN_NOT_AVAILABLE);
    assertThat(error.msg()).contains("the bearer token is not known here");
  }

  private List<JsonNode> allocations() {
    List<JsonNode> items = new ArrayList<>();
    try (HttpClient client = HttpClient.newHttpClient()) {
      String body =
          client
              .send(
                  HttpRequest.newBuilder(URI.create(server.url() + "/v1/allocations"))
                      .header("Authorization", "Bearer " + RunningServer.TOKEN)
                      .build(),
                  HttpResponse.BodyHandlers.ofString())
              .body();
      CniJson.parse(body).path("items").forEach(items::add);
      return items;
    } catch (IOException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static String address(Calling calling) {
    return calling.ok("ADD").at("/ips/0/address").asString();
  }
}
