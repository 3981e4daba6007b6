package io.ocicat.cli.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.base.Deadline;
import io.ocicat.cli.Shell.Printed;
import io.ocicat.cni.CniJson;
import io.ocicat.cni.exec.PluginReply;
import io.ocicat.cni.plugin.Dispatcher;
import io.ocicat.cni.plugin.Namespaces;
import io.ocicat.cni.plugin.PluginHost;
import io.ocicat.datastore.Datastores;
import io.ocicat.plugins.Plugins;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;

/** {@code ocicat net validate} with our own plugins, which read what they are given. */
@Hosts
class NetValidateTest {
  /** One wrong field for each plugin; IPAM plugins need a plugin that calls them. */
  private static final Map<String, String> WRONG =
      new TreeMap<>(
          Map.ofEntries(
              Map.entry("bandwidth", "{\"type\":\"bandwidth\",\"ingressRate\":\"fast\"}"),
              Map.entry("bridge", "{\"type\":\"bridge\",\"mtu\":-1}"),
              Map.entry(
                  "calico", "{\"type\":\"calico\",\"mtu\":-1,\"ipam\":{\"type\":\"calico-ipam\"}}"),
              Map.entry(
                  "calico-ipam",
                  "{\"type\":\"bridge\",\"ipam\":{\"type\":\"calico-ipam\",\"assign_ipv4\":\"maybe\"}}"),
              Map.entry("firewall", "{\"type\":\"firewall\",\"ingressPolicy\":\"some\"}"),
              Map.entry("flannel", "{\"type\":\"flannel\",\"subnetFile\":7}"),
              Map.entry(
                  "host-local",
                  "{\"type\":\"bridge\",\"ipam\":{\"type\":\"host-local\",\"subnet\":\"10.1.0.0/33\"}}"),
              Map.entry(
                  "ipam",
                  "{\"type\":\"ptp\",\"ipam\":{\"type\":\"ipam\",\"token\":\"t\",\"serverURL\":\"nowhere\"}}"),
              Map.entry("macvlan", "{\"type\":\"macvlan\",\"mode\":\"fast\"}"),
              Map.entry("portmap", "{\"type\":\"portmap\",\"snat\":\"yes\"}"),
              Map.entry(
                  "ptp", "{\"type\":\"ptp\",\"ipMasq\":\"yes\",\"ipam\":{\"type\":\"static\"}}"),
              Map.entry(
                  "static",
                  "{\"type\":\"ptp\",\"ipam\":{\"type\":\"static\",\"addresses\":[{\"address\":\"x\"}]}}"),
              Map.entry("tuning", "{\"type\":\"tuning\",\"promisc\":\"yes\"}")));

  @TempDir private Path directory;
  private final Datastores datastores = new Datastores();

  @BeforeEach
  void executables() throws IOException {
    Files.createDirectories(directory.resolve("net.d"));
    Files.createDirectories(directory.resolve("bin"));
    for (String name : Plugins.names()) {
      Files.createFile(directory.resolve("bin").resolve(name));
    }
    Files.createFile(directory.resolve("bin/foreign"));
  }

  @AfterEach
  void closeDatastores() {
    datastores.close();
  }

  static Stream<String> readers() {
    return WRONG.keySet().stream();
  }

  /** Loopback reads nothing. */
  @Test
  void everyPluginHasItsMistake() {
    Set<String> all = new TreeSet<>(WRONG.keySet());
    all.add("loopback");
    assertThat(all).isEqualTo(Plugins.names());
  }

  @ParameterizedTest
  @MethodSource("readers")
  void whatAddWouldSayIsSaidBefore(String plugin, Host host, Host pod) throws IOException {
    String section = Objects.requireNonNull(WRONG.get(plugin));
    JsonNode said = add(plugin, section, host, pod);
    network("10-blue.conflist", section);

    Printed validated = validate("blue", "--json");

    assertThat(validated.exitCode()).isEqualTo(1);
    JsonNode problems = CniJson.parse(validated.out()).at("/networks/0/problems");
    assertThat(problems).hasSize(1);
    JsonNode problem = problems.get(0);
    assertThat(said.path("msg").asString()).endsWith(reasonOf(problem, plugin));
    assertThat(problem.path("code").asInt()).isEqualTo(said.path("code").asInt());
    assertThat(problem.path("file").asString()).endsWith("10-blue.conflist");
    assertThat(problem.path("path").asString()).startsWith("plugins[0].");
  }

  private static String reasonOf(JsonNode problem, String plugin) {
    String reason = problem.path("reason").asString();
    assertThat(reason).startsWith(plugin + ": ");
    return reason.substring(plugin.length() + 2);
  }

  private JsonNode add(String plugin, String section, Host host, Host pod) {
    PluginHost here =
        new PluginHost(
            new Namespaces(host.path(), Map.of()),
            _ -> new PluginReply(1, new byte[0], "nobody is to be asked"),
            Deadline.in(Duration.ofSeconds(30)),
            _ -> {});
    Map<String, String> environment =
        Map.of(
            "CNI_COMMAND", "ADD",
            "CNI_CONTAINERID", "c1",
            "CNI_IFNAME", "eth0",
            "CNI_NETNS", pod.path().toString(),
            "CNI_PATH", directory.resolve("bin").toString());
    String request = "{\"cniVersion\":\"1.0.0\",\"name\":\"blue\"," + section.substring(1);
    PluginReply reply =
        Dispatcher.dispatch(
            Plugins.named(plugin, datastores).orElseThrow(),
            here,
            environment,
            request.getBytes(StandardCharsets.UTF_8));
    assertThat(reply.exitCode()).isEqualTo(1);
    return CniJson.parse(reply.stdout());
  }

  @Test
  void peopleSeeFileFieldPluginAndReason() throws IOException {
    network("10-blue.conflist", "{\"type\":\"bridge\",\"isGateway\":\"yes\",\"mtu\":-1}");

    Printed validated = validate();

    assertThat(validated.exitCode()).isEqualTo(1);
    String file = directory.resolve("net.d/10-blue.conflist").toString();
    assertThat(validated.out())
        .isEqualTo(
            """
            blue: not valid
              error    %s: plugins[0].isGateway: bridge: isGateway must be true or false, not "yes"
              error    %s: plugins[0].mtu: bridge: mtu must be a whole number 0–65535, not -1
            """
                .formatted(file, file));
  }

  @Test
  void aWarningAloneIsNotAFailure() throws IOException {
    network(
        "10-blue.conflist",
        """
        {"type":"bridge","isGatway":true,
         "ipam":{"type":"host-local","ranges":[[{"subnet":"10.1.0.0/24","rangeBegin":"10.1.0.9"}]]}}
        """);

    Printed validated = validate("blue");

    assertThat(validated.exitCode()).isZero();
    assertThat(validated.out())
        .contains("blue: valid")
        .contains("plugins[0].isGatway: bridge, host-local: isGatway is not read; did you mean")
        .contains("plugins[0].ipam.ranges[0][0].rangeBegin: ")
        .hasLineCount(3);
  }

  @Test
  void aNetworkWithoutIpamIsReported() throws IOException {
    network("10-blue.conflist", "{\"type\":\"bridge\",\"ipam\":{\"type\":\"host-local\"}}");
    network("20-red.conflist", "{\"type\":\"ptp\"}");

    assertThat(validate().out())
        .contains("plugins[0]: host-local: no IP ranges specified")
        .contains("plugins[0]: ptp: no plugin name provided; ipam.type is missing");
  }

  @Test
  void rangesThatTheRuntimeWillGiveAreNotMissing() throws IOException {
    network(
        "10-blue.conflist",
        "{\"type\":\"bridge\",\"capabilities\":{\"ipRanges\":true},\"ipam\":{\"type\":\"host-local\"}}");

    assertThat(validate().out()).isEqualTo("blue: valid, capabilities ipRanges\n");
  }

  @Test
  void whatFlannelHandsOnIsReadByWhoGetsIt() throws IOException {
    network(
        "10-good.conflist",
        "{\"type\":\"flannel\",\"delegate\":{\"hairpinMode\":true,\"isDefaultGateway\":true}}");
    network(
        "20-bad.conflist",
        "{\"type\":\"flannel\",\"delegate\":{\"hairpinMode\":\"yes\",\"isDefaultGatway\":true}}");
    network("30-odd.conflist", "{\"type\":\"flannel\",\"delegate\":{\"isDefaultGatway\":true}}");

    Printed validated = validate();

    assertThat(validated.out())
        .contains("10-good: valid\n")
        .contains("plugins[0].delegate.hairpinMode: bridge: hairpinMode must be true or false")
        .contains("plugins[0].delegate.isDefaultGatway: flannel, bridge, host-local: ")
        .contains("did you mean \"isDefaultGateway\"?")
        .hasLineCount(5);
  }

  /** As Calico's own installer and ours write it. */
  @Test
  void calicosRangesOfTheNodeAreNoMistake() throws IOException {
    network(
        "10-calico.conflist",
        """
        {"type":"calico","log_level":"info","datastore_type":"kubernetes","nodename":"n","mtu":0,
         "kubernetes":{"kubeconfig":"/etc/cni/net.d/calico-kubeconfig"},"policy":{"type":"k8s"},
         "ipam":{"type":"host-local","ranges":[[{"subnet":"usePodCidr"}],[{"subnet":"usePodCidrIPv6"}]]}}
        """);

    assertThat(validate().out()).isEqualTo("10-calico: valid\n");
  }

  @Test
  void pluginsOfOthersAreNotJudged() throws IOException {
    network("10-blue.conflist", "{\"type\":\"foreign\",\"mtu\":-1,\"whatever\":{\"a\":1}}");

    assertThat(validate().out()).isEqualTo("blue: valid\n");
  }

  /** Named blue, or after its file where there are several. */
  private void network(String file, String section) throws IOException {
    String name = file.startsWith("10-blue") ? "blue" : file.replace(".conflist", "");
    Files.writeString(
        directory.resolve("net.d").resolve(file),
        "{\"cniVersion\":\"1.0.0\",\"name\":\"%s\",\"plugins\":[%s]}".formatted(name, section));
  }

  private Printed validate(String... args) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    Map<String, String> environment =
        Map.of(
            "NETCONFPATH", directory.resolve("net.d").toString(),
            "CNI_PATH", directory.resolve("bin").toString());
    NetSettings settings =
        new NetSettings(
            environment,
            Optional.empty(),
            _ ->
                new PluginReply(
                    0,
                    "{\"cniVersion\":\"1.0.0\",\"supportedVersions\":[\"1.0.0\"]}"
                        .getBytes(StandardCharsets.UTF_8),
                    ""),
            file -> Plugins.named(file.getFileName().toString(), datastores));
    List<String> line = new ArrayList<>(List.of("validate"));
    line.addAll(List.of(args));
    int exitCode =
        NetCommand.of(settings)
            .setOut(new PrintWriter(out, true))
            .setErr(new PrintWriter(err, true))
            .execute(line.toArray(String[]::new));
    return new Printed(exitCode, out.toString(), err.toString());
  }
}
