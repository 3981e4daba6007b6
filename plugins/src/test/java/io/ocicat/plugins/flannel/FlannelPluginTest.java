package io.ocicat.plugins.flannel;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.base.json.Json;
import io.ocicat.cni.CniException;
import io.ocicat.cni.CniJson;
import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.exec.PluginReply;
import io.ocicat.cni.plugin.Dispatcher;
import io.ocicat.cni.plugin.PluginHost;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Everything but the network: which request reaches the delegate, and what stays on the disk. */
class FlannelPluginTest {
  private static final String SUBNET_ENV =
      """
      FLANNEL_NETWORK=10.50.0.0/16
      FLANNEL_SUBNET=10.50.7.1/24
      FLANNEL_MTU=1450
      FLANNEL_IPMASQ=true
      """;

  @TempDir private Path directory;
  private RecordingDelegate delegate;
  private Path scratch;
  private ObjectNode config;

  @BeforeEach
  void aNodeWithALease() throws IOException {
    delegate = RecordingDelegate.install(directory, "bridge", "ptp");
    scratch = directory.resolve("scratch");
    Files.writeString(directory.resolve("subnet.env"), SUBNET_ENV);
    config =
        Json.object()
            .put("cniVersion", "1.1.0")
            .put("name", "podnet")
            .put("type", "flannel")
            .put("subnetFile", directory.resolve("subnet.env").toString())
            .put("dataDir", scratch.toString());
  }

  @Test
  void addAsksBridgeAndKeepsWhatItAsked() throws IOException {
    JsonNode result = ok("ADD", "c1", "eth0");

    assertThat(result.at("/ips/0/address").asString()).isEqualTo("10.50.7.2/24");
    assertThat(result.at("/cniVersion").asString()).isEqualTo("1.1.0");
    assertThat(delegate.calls()).containsExactly("ADD c1 eth0 /run/netns/none");
    assertThat(Files.readString(scratch.resolve("c1")))
        .isEqualTo(
            "{\"cniVersion\":\"1.1.0\",\"ipMasq\":false,\"ipam\":{\"ranges\":[[{\"subnet\":\"10.50.7.0/24\"}]],"
                + "\"routes\":[{\"dst\":\"10.50.0.0/16\"}],\"type\":\"host-local\"},\"isGateway\":true,"
                + "\"mtu\":1450,\"name\":\"podnet\",\"type\":\"bridge\"}");
    assertThat(delegate.stdin("ADD"))
        .isEqualTo(CniJson.parse(Files.readString(scratch.resolve("c1"))));
  }

  @Test
  void theFileIsThereBeforeTheDelegateDoesAnything() {
    ok("ADD", "c1", "eth0");
    assertThat(delegate.scratchFilesSeenBy("ADD")).contains("c1");
  }

  @Test
  void nobodyElseReadsTheFiles() throws IOException {
    ok("ADD", "c1", "eth0");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(scratch)))
        .isEqualTo("rwx------");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(scratch.resolve("c1"))))
        .isEqualTo("rw-------");
  }

  @Test
  void delAsksWhatAddAskedWhateverBecameOfTheConfiguration() throws IOException {
    config.putObject("delegate").put("type", "ptp").put("mtu", 1234);
    ok("ADD", "c1", "eth0");
    Files.delete(directory.resolve("subnet.env"));
    config.putObject("delegate").put("type", 7).put("name", "nonsense");

    ok("DEL", "c1", "eth0");

    assertThat(delegate.calls())
        .containsExactly("ADD c1 eth0 /run/netns/none", "DEL c1 eth0 /run/netns/none");
    assertThat(delegate.stdin("DEL")).isEqualTo(delegate.stdin("ADD"));
    assertThat(scratch).isEmptyDirectory();
  }

  @Test
  void delOfWhatIsGoneOrNeverWasSucceeds() {
    ok("DEL", "never", "eth0");
    assertThat(scratch).doesNotExist();
    ok("ADD", "c1", "eth0");
    ok("DEL", "c1", "eth0");
    ok("DEL", "c1", "eth0");
    assertThat(delegate.calls()).hasSize(2);
  }

  @Test
  void aDelThatFailsCanBeTriedAgain() {
    ok("ADD", "c1", "eth0");
    delegate.failOn("DEL", 11, "the lease is locked");

    for (int i = 0; i < 5; i++) {
      CniException error = failed("DEL", "c1", "eth0");
      assertThat(error.code()).isEqualTo(ErrorCode.TRY_AGAIN_LATER);
      assertThat(error.msg()).isEqualTo("failed to delegate del: the lease is locked");
      assertThat(scratch.resolve("c1")).exists();
    }
    delegate.recover();
    ok("DEL", "c1", "eth0");

    assertThat(delegate.calls()).hasSize(7);
    assertThat(scratch).isEmptyDirectory();
  }

  @Test
  void aFailedAddLeavesNothing() {
    delegate.failOn("ADD", 7, "no such bridge");

    CniException error = failed("ADD", "c1", "eth0");

    assertThat(error.code()).isEqualTo(ErrorCode.INVALID_NETWORK_CONFIG);
    assertThat(error.msg()).isEqualTo("failed to delegate add: no such bridge");
    assertThat(delegate.calls())
        .extracting(call -> call.substring(0, 3))
        .containsExactly("ADD", "DEL");
    assertThat(scratch).isEmptyDirectory();
  }

  @Test
  void whatAFailedAddCouldNotUndoIsLeftForDel() {
    delegate.failOn("ADD", 999, "out of memory");
    delegate.failOn("DEL", 999, "still out of memory");

    PluginReply reply = run("ADD", "c1", "eth0", config);

    assertThat(error(reply).msg()).isEqualTo("failed to delegate add: out of memory");
    assertThat(reply.stderr()).contains("undoing it with bridge failed too: still out of memory");
    assertThat(scratch.resolve("c1")).exists();
    delegate.recover();
    ok("DEL", "c1", "eth0");
    assertThat(scratch).isEmptyDirectory();
  }

  @Test
  void withoutADelegateThereIsNothingToCleanUp() {
    config.putObject("delegate").put("type", "macvlan");
    assertThat(failed("ADD", "c1", "eth0").msg()).contains("failed to find plugin \"macvlan\"");
    assertThat(scratch).isEmptyDirectory();
  }

  @Test
  void withoutALeaseAddIsToBeTriedAgainAndNothingIsWritten() throws IOException {
    Files.delete(directory.resolve("subnet.env"));

    CniException error = failed("ADD", "c1", "eth0");

    assertThat(error.code()).isEqualTo(ErrorCode.TRY_AGAIN_LATER);
    assertThat(error.msg())
        .endsWith("open %s: no such file or directory".formatted(directory.resolve("subnet.env")));
    assertThat(scratch).doesNotExist();
    assertThat(delegate.calls()).isEmpty();
  }

  @Test
  void anotherAttachmentOfTheSameContainerHasAFileOfItsOwn() {
    ObjectNode other = config.deepCopy().put("name", "othernet");
    assertThat(run("ADD", "c1", "eth0", config).exitCode()).isZero();
    assertThat(run("ADD", "c1", "net1", config).exitCode()).isZero();
    assertThat(run("ADD", "c1", "net2", other).exitCode()).isZero();

    assertThat(run("DEL", "c1", "eth0", config).exitCode()).isZero();
    assertThat(delegate.stdin("DEL").path("name").asString()).isEqualTo("podnet");
    // A runtime may call twice; this must not remove the others' files.
    assertThat(run("DEL", "c1", "eth0", config).exitCode()).isZero();
    assertThat(run("DEL", "c1", "net2", other).exitCode()).isZero();
    assertThat(delegate.stdin("DEL").path("name").asString()).isEqualTo("othernet");
    assertThat(run("DEL", "c1", "net2", other).exitCode()).isZero();
    assertThat(run("DEL", "c1", "net1", config).exitCode()).isZero();

    assertThat(delegate.calls().subList(3, delegate.calls().size()))
        .extracting(call -> call.substring(0, "DEL c1 eth0".length()))
        .containsExactly("DEL c1 eth0", "DEL c1 net2", "DEL c1 net1");
    assertThat(scratch).isEmptyDirectory();
  }

  /** The second form is that of Go plugins before 1.0. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"name\":\"podnet\",\"type\":\"ptp\",\"ipam\":{\"ranges\":[[{\"subnet\":\"10.50.7.0/24\"}]]}}",
        "{\"cniVersion\":\"0.3.1\",\"ipam\":{\"subnet\":\"10.42.9.0/24\",\"type\":\"host-local\"},"
            + "\"name\":\"cbr0\",\"type\":\"ptp\"}\n"
      })
  void delFinishesWhatTheOriginalBegan(String file) throws IOException {
    Files.createDirectory(scratch);
    Files.writeString(scratch.resolve("c1"), file);

    ok("DEL", "c1", "eth0");

    assertThat(delegate.stdin("DEL")).isEqualTo(CniJson.parse(file));
    assertThat(scratch).isEmptyDirectory();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "{\"type\":\"bri", "[]", "{}", "\0\0\0\0"})
  void aFileThatAPowerFailureRuinedIsMadeAgain(String ruins) throws IOException {
    Files.createDirectory(scratch);
    Files.writeString(scratch.resolve("c1"), ruins);

    PluginReply reply = run("DEL", "c1", "eth0", config);

    assertThat(reply.exitCode()).isZero();
    assertThat(reply.stderr()).contains("the scratch file of container c1 is unreadable");
    assertThat(delegate.stdin("DEL").at("/ipam/ranges/0/0/subnet").asString())
        .isEqualTo("10.50.7.0/24");
    assertThat(scratch).isEmptyDirectory();
  }

  @Test
  void aRuinedFileDoesNotKeepARuntimeFromDeletingTheContainer() throws IOException {
    Files.createDirectory(scratch);
    Files.writeString(scratch.resolve("c1"), "");
    Files.delete(directory.resolve("subnet.env"));

    PluginReply reply = run("DEL", "c1", "eth0", config);

    assertThat(reply.exitCode()).isZero();
    assertThat(reply.stderr()).contains("cannot be made again", "may stay reserved until GC");
    assertThat(delegate.calls()).isEmpty();
    assertThat(scratch.resolve("c1")).as("it tells of what may be left").exists();
  }

  @Test
  void anAddThatWasKilledAnywhereIsCleanedUpByDel() throws IOException {
    Files.createDirectory(scratch);
    Files.writeString(scratch.resolve(".c1:eth0:podnet:new"), "{\"ty");
    ok("DEL", "c1", "eth0");
    assertThat(delegate.calls()).as("the delegate was never asked").isEmpty();

    Files.writeString(
        scratch.resolve(".c1:eth0:podnet"), "{\"name\":\"podnet\",\"type\":\"bridge\"}");
    Files.createLink(scratch.resolve(".c1:eth0:podnet:link"), scratch.resolve(".c1:eth0:podnet"));
    ok("DEL", "c1", "eth0");
    assertThat(delegate.calls()).hasSize(1);
    assertThat(scratch).isEmptyDirectory();

    ok("ADD", "c1", "eth0");
    ok("ADD", "c1", "eth0");
    ok("DEL", "c1", "eth0");
    assertThat(scratch).isEmptyDirectory();
  }

  @Test
  void checkIsTheDelegatesWithThePreviousResult() {
    ok("ADD", "c1", "eth0");
    config
        .putObject("prevResult")
        .put("cniVersion", "1.1.0")
        .putArray("ips")
        .addObject()
        .put("address", "10.50.7.2/24");

    ok("CHECK", "c1", "eth0");

    JsonNode request = delegate.stdin("CHECK");
    assertThat(request.at("/prevResult/ips/0/address").asString()).isEqualTo("10.50.7.2/24");
    assertThat(request.at("/type").asString()).isEqualTo("bridge");
    delegate.failOn("CHECK", 100, "the bridge is gone");
    assertThat(failed("CHECK", "c1", "eth0").msg()).isEqualTo("the bridge is gone");
  }

  @Test
  void checkMissesAnAttachmentThatIsNotThere() {
    assertThat(failed("CHECK", "c1", "eth0").msg()).isEqualTo("required prevResult missing");
    config.putObject("prevResult");
    assertThat(failed("CHECK", "c1", "eth0").msg())
        .isEqualTo("container c1 has no scratch file in " + scratch);
  }

  @Test
  void statusNeedsALeaseAndAWorkingDelegate() throws IOException {
    ok("STATUS", "", "");
    assertThat(delegate.stdin("STATUS").at("/ipam/type").asString()).isEqualTo("host-local");
    delegate.failOn("STATUS", 51, "no addresses");
    assertThat(failed("STATUS", "", "").code()).isEqualTo(ErrorCode.LIMITED_CONNECTIVITY);

    Files.writeString(directory.resolve("subnet.env"), "FLANNEL_MTU=1450\n");
    assertThat(failed("STATUS", "", "").code()).isEqualTo(ErrorCode.PLUGIN_NOT_AVAILABLE);
    Files.delete(directory.resolve("subnet.env"));
    CniException error = failed("STATUS", "", "");
    assertThat(error.code()).isEqualTo(ErrorCode.PLUGIN_NOT_AVAILABLE);
    assertThat(error.details()).contains("look at the log of the flannel pod");
  }

  @Test
  void gcDeletesWhatIsNotInUseAnyMore() throws IOException {
    ObjectNode other = config.deepCopy().put("name", "othernet");
    for (String id : List.of("used", "gone", "half")) {
      ok("ADD", id, "eth0");
    }
    ok("ADD", "used", "net1");
    run("ADD", "gone", "eth0", other);
    Files.writeString(scratch.resolve("old-gone"), "{\"name\":\"podnet\",\"type\":\"ptp\"}");
    Files.writeString(scratch.resolve("old-used"), "{\"name\":\"podnet\",\"type\":\"ptp\"}");
    Files.writeString(scratch.resolve("old-other"), "{\"name\":\"othernet\",\"type\":\"ptp\"}");
    Files.writeString(scratch.resolve("old-ruined"), "");
    Files.writeString(scratch.resolve(".half:eth0:podnet"), "");
    Files.writeString(scratch.resolve(".killed:eth0:podnet:new"), "{");
    int before = delegate.calls().size();
    inUse("used", "eth0").add(attachment("old-used", "eth0"));

    ok("GC", "", "");

    assertThat(delegate.calls().subList(before, delegate.calls().size()))
        .containsExactly("DEL gone eth0", "DEL used net1", "DEL old-gone eth0", "GC");
    assertThat(delegate.stdin("GC").at("/cni.dev~1valid-attachments/0/containerID").asString())
        .isEqualTo("used");
    assertThat(names())
        .containsExactly(
            ".gone:eth0:othernet",
            ".used:eth0:podnet",
            "gone",
            "old-other",
            "old-ruined",
            "old-used");
  }

  @Test
  void gcGoesOnWhenADelegateFailsAndKeepsWhatIsLeft() {
    ok("ADD", "c1", "eth0");
    ok("ADD", "c2", "eth0");
    delegate.failOn("DEL", 11, "the lease is locked");
    inUse("c3", "eth0");

    assertThat(failed("GC", "", "").msg()).isEqualTo("the lease is locked");

    assertThat(delegate.calls().subList(2, delegate.calls().size()))
        .containsExactly("DEL c1 eth0", "DEL c2 eth0", "GC");
    assertThat(scratch.resolve("c1")).exists();
    delegate.recover();
    ok("GC", "", "");
    assertThat(scratch).isEmptyDirectory();
  }

  @Test
  void gcWithoutAWordAboutAttachmentsTouchesNothing() {
    ok("ADD", "c1", "eth0");
    ok("GC", "", "");
    assertThat(scratch.resolve("c1")).exists();
    assertThat(delegate.calls()).hasSize(1);
  }

  @Test
  void anEmptyListOfAttachmentsMeansThatNoneIsInUse() {
    ok("ADD", "c1", "eth0");
    config.putNull("cni.dev/valid-attachments");
    ok("GC", "", "");
    assertThat(scratch).isEmptyDirectory();
    assertThat(delegate.stdin("GC").path("cni.dev/valid-attachments").isArray()).isTrue();
  }

  @Test
  void aDirectoryThatCannotBeWrittenIsNamed() throws IOException {
    Files.writeString(scratch, "in the way");
    CniException error = failed("ADD", "c1", "eth0");
    assertThat(error.code()).isEqualTo(ErrorCode.IO_FAILURE);
    assertThat(error.msg()).contains("cannot write scratch file " + scratch);
    assertThat(delegate.calls()).isEmpty();
  }

  private ArrayNode inUse(String containerId, String ifName) {
    return config.putArray("cni.dev/valid-attachments").add(attachment(containerId, ifName));
  }

  private static ObjectNode attachment(String containerId, String ifName) {
    return Json.object().put("containerID", containerId).put("ifname", ifName);
  }

  private List<String> names() throws IOException {
    try (Stream<Path> files = Files.list(scratch)) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    }
  }

  private JsonNode ok(String verb, String containerId, String ifName) {
    PluginReply reply = run(verb, containerId, ifName, config);
    assertThat(reply.exitCode()).as(new String(reply.stdout(), UTF_8)).isZero();
    return reply.stdout().length == 0 ? Json.object() : CniJson.parse(reply.stdout());
  }

  private CniException failed(String verb, String containerId, String ifName) {
    return error(run(verb, containerId, ifName, config));
  }

  private static CniException error(PluginReply reply) {
    assertThat(reply.exitCode()).isEqualTo(1);
    return CniException.fromJson(CniJson.parse(reply.stdout()));
  }

  private PluginReply run(String verb, String containerId, String ifName, ObjectNode request) {
    Map<String, String> environment = new HashMap<>(Map.of("PATH", System.getenv("PATH")));
    environment.put("CNI_COMMAND", verb);
    environment.put("CNI_CONTAINERID", containerId);
    environment.put("CNI_IFNAME", ifName);
    environment.put("CNI_NETNS", ifName.isEmpty() ? "" : "/run/netns/none");
    environment.put("CNI_PATH", directory.toString());
    return Dispatcher.dispatch(
        new FlannelPlugin(), PluginHost.process(), environment, Json.compactBytes(request));
  }
}
