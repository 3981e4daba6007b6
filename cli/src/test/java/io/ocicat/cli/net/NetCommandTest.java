package io.ocicat.cli.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.ocicat.base.BootId;
import io.ocicat.base.json.Json;
import io.ocicat.cni.CniJson;
import io.ocicat.cni.exec.Invocation;
import io.ocicat.cni.exec.PluginExec;
import io.ocicat.cni.exec.PluginReply;
import io.ocicat.daemon.state.CallRecord;
import io.ocicat.daemon.state.DaemonState;
import io.ocicat.daemon.state.NamespaceId;
import io.ocicat.daemon.state.StateFolders;
import io.ocicat.netlink.ns.NamedNetNs;
import io.ocicat.netlink.ns.NetNs;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** What cnitool does, and what it lacks. */
class NetCommandTest {
  private static final String RESULT =
      "{\"cniVersion\":\"1.1.0\",\"ips\":[{\"address\":\"10.1.0.7/24\"}]}";

  private static final String OWN_NETNS = "/proc/self/ns/net";

  @TempDir private Path directory;
  private final List<Invocation> calls = new ArrayList<>();
  private final Map<String, String> environment = new HashMap<>();
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  private PluginReply reply = new PluginReply(0, RESULT.getBytes(StandardCharsets.UTF_8), "");

  @BeforeEach
  void aNetwork() throws IOException {
    Files.createDirectories(directory.resolve("net.d"));
    Files.createDirectories(directory.resolve("bin"));
    Files.createFile(directory.resolve("bin/noop"));
    network("10-blue.conflist", "\"blue\"");
    environment.put("NETCONFPATH", directory.resolve("net.d").toString());
    environment.put("CNI_PATH", directory.resolve("bin").toString());
    environment.put("OCICAT_RUN_DIR", directory.resolve("run").toString());
    environment.put("OCICAT_STATE_DIR", directory.resolve("state").toString());
    StateFolders.of(environment).create();
  }

  @Test
  void addPrintsTheResultAndNothingElse() {
    assertThat(run("add", "blue", "/run/netns/x")).isZero();

    assertThat(out.toString()).isEqualTo(Json.pretty(CniJson.parse(RESULT)) + "\n");
    assertThat(err.toString()).isEmpty();
    Invocation call = calls.getFirst();
    assertThat(call.executable()).isEqualTo(directory.resolve("bin/noop"));
    assertThat(call.environment())
        .containsEntry("CNI_COMMAND", "ADD")
        .containsEntry("CNI_IFNAME", "eth0")
        .containsEntry("CNI_NETNS", "/run/netns/x");
  }

  @Test
  void helpIsGivenWithoutAnyArguments() {
    assertThat(run("add", "--help")).isZero();
    assertThat(out.toString()).contains("Usage: net add", "NETWORK", "NETNS");
  }

  /** Known from cnitool: {@code printf /var/run/netns/test | sha512sum | cut -c1-20}. */
  @Test
  void theContainerIdComesFromThePathOfTheNamespace() {
    assertThat(NetCommand.idOf("/var/run/netns/test")).isEqualTo("cnitool-7b8a61d5d8e94d07cbe4");
    assertThat(NetCommand.idOf("/var/run/../run/netns//test"))
        .isEqualTo(NetCommand.idOf("/var/run/netns/test"));
  }

  @Test
  void interfaceArgsAndCapabilitiesReachThePlugin() {
    environment.put("CNI_IFNAME", "net7");
    environment.put("CNI_ARGS", "IgnoreUnknown=1;K8S_POD_NAME=web-0");
    environment.put("CAP_ARGS", "{\"portMappings\":[{\"hostPort\":8080,\"containerPort\":80}]}");

    assertThat(run("add", "blue", "/run/netns/x")).isZero();

    Invocation call = calls.getFirst();
    assertThat(call.environment())
        .containsEntry("CNI_IFNAME", "net7")
        .containsEntry("CNI_ARGS", "IgnoreUnknown=1;K8S_POD_NAME=web-0");
    JsonNode request = CniJson.parse(call.stdin().bytes());
    assertThat(request.at("/runtimeConfig/portMappings/0/hostPort").asInt()).isEqualTo(8080);
  }

  @Test
  void theOptionBeatsTheVariable() {
    environment.put("CNI_IFNAME", "net7");

    assertThat(run("add", "-i", "net9", "--container-id", "c1", "blue", "/run/netns/x")).isZero();

    assertThat(calls.getFirst().environment())
        .containsEntry("CNI_IFNAME", "net9")
        .containsEntry("CNI_CONTAINERID", "c1");
  }

  @ParameterizedTest
  @ValueSource(strings = {"A", "A=", "=1", "A=1;", "A=1=2", ";"})
  void aPairWithoutKeyOrValueIsRefused(String args) {
    environment.put("CNI_ARGS", args);

    assertThat(run("add", "blue", "/run/netns/x")).isEqualTo(1);
    assertThat(err.toString()).contains("invalid CNI_ARGS pair");
    assertThat(calls).isEmpty();
  }

  @Test
  void capabilityArgumentsThatAreNoObjectAreRefused() {
    environment.put("CAP_ARGS", "[1]");
    assertThat(run("add", "blue", "/run/netns/x")).isEqualTo(1);
    environment.put("CAP_ARGS", "{");
    assertThat(run("add", "blue", "/run/netns/x")).isEqualTo(1);

    assertThat(err.toString()).contains("CAP_ARGS must be a JSON object").contains("CAP_ARGS: ");
    assertThat(calls).isEmpty();
  }

  @Test
  void delGcAndStatusPrintNothing() {
    assertThat(run("add", "blue", "/run/netns/x")).isZero();
    out.getBuffer().setLength(0);

    assertThat(run("check", "blue", "/run/netns/x")).isZero();
    assertThat(run("status", "blue")).isZero();
    assertThat(run("gc", "--valid", NetCommand.idOf("/run/netns/x") + "/eth0", "blue")).isZero();
    assertThat(run("del", "blue", "/run/netns/x")).isZero();

    assertThat(out.toString()).isEmpty();
    assertThat(calls)
        .extracting(call -> call.environment().get("CNI_COMMAND"))
        .containsExactly("ADD", "CHECK", "STATUS", "GC", "DEL");
  }

  /** Review C2: records have the configuration that the network no longer has. */
  @Test
  void gcOfANetworkWithoutAFileRemovesWhatIsDeadByItsRecords() {
    noted("alive", "static", "green", OWN_NETNS);
    noted("lost", "static", "green", "/run/netns/nowhere");
    assertThat(run("gc", "green")).isZero();
    assertThat(
            new DaemonState(StateFolders.of(environment), BootId.current()).attachments().names())
        .containsExactly("alive");
    assertThat(run("gc", "red")).isEqualTo(1);
    assertThat(err.toString()).contains("no net configuration with name \"red\"");
  }

  /** Review U3: detaching containers that are in use has to be requested explicitly. */
  @Test
  void gcDetachesEverythingOnlyWhenAsked() {
    assertThat(run("add", "--container-id", "alive", "blue", OWN_NETNS)).isZero();
    out.getBuffer().setLength(0);

    assertThat(run("gc", "blue")).isZero();
    assertThat(out.toString()).isEmpty();
    assertThat(run("gc", "blue", "--all")).isZero();

    assertThat(out.toString()).isEqualTo("detached alive/eth0\n");
    assertThat(calls)
        .extracting(call -> call.environment().get("CNI_COMMAND"))
        .containsExactly("ADD", "GC", "DEL", "GC");
    assertThat(CniJson.parse(calls.getLast().stdin().bytes()).has("cni.dev/valid-attachments"))
        .isFalse();
  }

  @Test
  void gcOfAllButTheValidOnes() {
    assertThat(run("add", "--container-id", "alive", "blue", OWN_NETNS)).isZero();
    assertThat(run("add", "--container-id", "named", "blue", OWN_NETNS)).isZero();
    out.getBuffer().setLength(0);

    assertThat(run("gc", "blue", "--all", "--valid", "named/eth0")).isZero();

    assertThat(out.toString()).isEqualTo("detached alive/eth0\n");
  }

  @Test
  void gcSaysWhereItIsDisabled() throws IOException {
    Files.writeString(
        directory.resolve("net.d/30-red.conflist"),
        "{\"cniVersion\":\"1.1.0\",\"name\":\"red\",\"disableGC\":true,\"plugins\":[{\"type\":\"noop\"}]}");

    assertThat(run("gc", "red", "--all")).isZero();

    assertThat(err.toString()).isEqualTo("ocicat: network red has disableGC: nothing is done\n");
    assertThat(calls).isEmpty();
  }

  /** Review U15: Ocicat is the runtime, so it knows what is missing. */
  @Test
  void checkOfWhatIsNotAttachedSaysSo() {
    assertThat(run("check", "--container-id", "c1", "blue", "/run/netns/x")).isEqualTo(1);

    assertThat(err.toString())
        .isEqualTo(
            "container \"c1\" is not attached to network \"blue\" as \"eth0\": no result of an ADD is"
                + " cached; attach it with `ocicat net add blue /run/netns/x`\n");
    assertThat(calls).isEmpty();
  }

  /** Review U24: as {@code ip netns} has it. */
  @Test
  void aBareNameIsANamespaceInRunNetns() {
    NamedNetNs named = NamedNetNs.standard();
    String name = "ocicat-u24-" + ProcessHandle.current().pid();
    named.prepare();
    try (NetNs _ = named.create(name)) {
      assertThat(run("add", "blue", name)).isZero();
    } finally {
      named.remove(name);
    }
    // Its name still leads to the attachment.
    assertThat(run("del", "blue", name)).isZero();
    assertThat(run("add", "blue", name)).isEqualTo(1);

    assertThat(calls)
        .extracting(
            call -> call.environment().get("CNI_COMMAND"),
            call -> call.environment().get("CNI_NETNS"),
            call -> call.environment().get("CNI_CONTAINERID"))
        .containsExactly(
            tuple("ADD", "/run/netns/" + name, NetCommand.idOf("/run/netns/" + name)),
            tuple("DEL", "/run/netns/" + name, NetCommand.idOf("/run/netns/" + name)));
    assertThat(err.toString())
        .isEqualTo(
            "there is no network namespace \"%1$s\" in /run/netns: make it with `ip netns add %1$s`, or give the path of one\n"
                .formatted(name));
  }

  /** Review U24: an empty reply would mean that all is well. */
  @ParameterizedTest
  @ValueSource(strings = {"list", "validate"})
  void aMissingDirectoryIsNotAnEmptyOne(String command) {
    environment.put("NETCONFPATH", directory.resolve("nope").toString());

    assertThat(run(command)).isEqualTo(1);

    assertThat(out.toString()).isEmpty();
    assertThat(err.toString())
        .startsWith("the directory %s does not exist".formatted(directory.resolve("nope")));
  }

  @Test
  void whoTypesWhatCnitoolWantsMayNameANamespaceThatConcernsNobody() {
    assertThat(run("status", "blue", "/run/netns/x")).isZero();
    assertThat(run("gc", "blue", "/run/netns/x")).isZero();
    assertThat(run("status", "blue", "/run/netns/x", "more")).isEqualTo(2);
    assertThat(run("gc")).isEqualTo(2);

    assertThat(calls)
        .extracting(call -> call.environment().get("CNI_COMMAND"))
        .containsExactly("STATUS", "GC");
    assertThat(calls).allMatch(call -> call.environment().getOrDefault("CNI_NETNS", "").isEmpty());
  }

  @Test
  void gcKeepsWhoseNamespaceIsThere() {
    assertThat(run("add", "--container-id", "alive", "blue", OWN_NETNS)).isZero();
    assertThat(run("add", "--container-id", "gone", "blue", "/run/netns/nowhere")).isZero();
    noted("noted", "blue", OWN_NETNS);
    noted("elsewhere", "red", OWN_NETNS);
    noted("lost", "blue", "/run/netns/nowhere");
    calls.clear();

    assertThat(run("gc", "blue", "--valid", "named/net1")).isZero();

    assertThat(calls)
        .extracting(
            call -> call.environment().get("CNI_COMMAND"),
            call -> call.environment().get("CNI_CONTAINERID"))
        .containsExactly(tuple("DEL", "gone"), tuple("GC", ""));
    assertThat(CniJson.parse(calls.getLast().stdin().bytes()).get("cni.dev/valid-attachments"))
        .extracting(valid -> valid.get("containerID").asString())
        .containsExactly("named", "alive", "noted");
  }

  private void noted(String container, String network, String netns) {
    noted(container, "noop", network, netns);
  }

  private void noted(String container, String plugin, String network, String netns) {
    DaemonState state = new DaemonState(StateFolders.of(environment), BootId.current());
    Map<String, String> variables =
        Map.of("CNI_CONTAINERID", container, "CNI_IFNAME", "eth0", "CNI_NETNS", netns);
    String config =
        "{\"cniVersion\":\"1.1.0\",\"name\":\"%s\",\"type\":\"%s\",\"ipam\":{\"type\":\"static\"}}"
            .formatted(network, plugin);
    state
        .attachments()
        .write(
            container,
            new CallRecord(
                state.boot(),
                0,
                NamespaceId.own(),
                NamespaceId.own(),
                plugin,
                variables,
                config.getBytes(StandardCharsets.UTF_8),
                new byte[0]));
  }

  @Test
  void aFailureIsOneLineAndExitCodeOne() {
    reply =
        new PluginReply(
            1, "{\"code\":11,\"msg\":\"try again\"}".getBytes(StandardCharsets.UTF_8), "");

    assertThat(run("add", "blue", "/run/netns/x")).isEqualTo(1);
    assertThat(out.toString()).isEmpty();
    assertThat(err.toString()).contains("try again").hasLineCount(1);
  }

  /** Review U21: log lines are for users who ask; the error is for everybody. */
  @Test
  void aFailureIsNotBuriedInWhatPluginsLog() {
    byte[] error = "{\"code\":11,\"msg\":\"try again\"}".getBytes(StandardCharsets.UTF_8);
    reply = new PluginReply(1, error, "INFO one\nERROR two\n");

    assertThat(run("add", "blue", "/run/netns/x")).isEqualTo(1);
    assertThat(err.toString()).contains("try again").hasLineCount(1);

    err.getBuffer().setLength(0);
    environment.put("OCICAT_DEBUG", "1");
    assertThat(run("add", "blue", "/run/netns/x")).isEqualTo(1);
    assertThat(err.toString()).startsWith("INFO one\nERROR two\n").contains("try again");
  }

  @Test
  void whatPluginsLogIsShownWhenTheySucceed() {
    reply = new PluginReply(0, RESULT.getBytes(StandardCharsets.UTF_8), "WARN three\n");

    assertThat(run("add", "blue", "/run/netns/x")).isZero();

    assertThat(err.toString()).isEqualTo("WARN three\n");
  }

  @Test
  void anUnknownNetworkIsNamed() {
    assertThat(run("add", "green", "/run/netns/x")).isEqualTo(1);
    assertThat(err.toString()).contains("no net configuration with name \"green\"");
  }

  @Test
  void listShowsNetworksAndWhatCannotBeUsed() throws IOException {
    network("20-bad.conflist", "7");

    assertThat(run("list")).isEqualTo(1);

    assertThat(out.toString().lines().toList())
        .satisfiesExactly(
            heading -> assertThat(heading).startsWith("NETWORK   VERSION   PLUGINS   FILE"),
            row ->
                assertThat(row)
                    .startsWith("blue      1.1.0     noop      ")
                    .endsWith("10-blue.conflist"));
    assertThat(err.toString()).contains("20-bad.conflist").contains("name").hasLineCount(1);
  }

  @Test
  void listAsJson() throws IOException {
    network("20-bad.conflist", "7");

    assertThat(run("list", "--json")).isEqualTo(1);

    JsonNode listed = CniJson.parse(out.toString());
    assertThat(listed.at("/networks/0/name").asString()).isEqualTo("blue");
    assertThat(listed.at("/problems/0/path").asString()).isEqualTo("name");
  }

  @Test
  void validateNamesFileFieldAndReason() throws IOException {
    Files.writeString(
        directory.resolve("net.d/30-red.conflist"),
        "{\"cniVersion\":\"1.1.0\",\"name\":\"red\",\"plugins\":[{\"type\":\"absent\"}]}");
    reply = versions("0.4.0");

    assertThat(run("validate")).isEqualTo(1);

    assertThat(out.toString())
        .contains("blue: not valid")
        .contains("10-blue.conflist: plugins[0]")
        .contains("does not support config version \"1.1.0\"")
        .contains("red: not valid")
        .contains("30-red.conflist: plugins[0].type")
        .contains("absent");
  }

  @Test
  void aValidNetworkShowsItsCapabilities() {
    reply = versions("1.1.0");

    assertThat(run("validate", "blue")).isZero();
    assertThat(out.toString()).isEqualTo("blue: valid, capabilities portMappings\n");
  }

  @Test
  void versionsOfPlugins() {
    reply = versions("0.4.0\",\"1.0.0");

    assertThat(run("versions", "noop", "absent")).isEqualTo(1);

    assertThat(out.toString()).isEqualTo("PLUGIN   VERSIONS\nnoop     0.4.0 1.0.0\n");
    assertThat(err.toString()).contains("failed to find plugin \"absent\"");
  }

  private void network(String file, String name) throws IOException {
    Files.writeString(
        directory.resolve("net.d").resolve(file),
        """
        {"cniVersion":"1.1.0","name":%s,"plugins":[{"type":"noop","capabilities":{"portMappings":true}}]}
        """
            .formatted(name));
  }

  private static PluginReply versions(String supported) {
    String json = "{\"cniVersion\":\"1.1.0\",\"supportedVersions\":[\"%s\"]}".formatted(supported);
    return new PluginReply(0, json.getBytes(StandardCharsets.UTF_8), "");
  }

  private int run(String... args) {
    PluginExec recorder =
        call -> {
          calls.add(call);
          return reply;
        };
    List<String> line = new ArrayList<>(List.of(args));
    line.add(1, "--cache-dir=" + directory.resolve("cache"));
    return NetCommand.of(
            new NetSettings(environment, Optional.empty(), recorder, _ -> Optional.empty()))
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err, true))
        .setExecutionExceptionHandler(
            (e, command, _) -> {
              command.getErr().println(e.getMessage());
              return 1;
            })
        .execute(line.toArray(String[]::new));
  }
}
