package io.ocicat.cli.connectivity;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.base.json.Json;
import io.ocicat.cli.DatastoreShell;
import io.ocicat.cli.LiveDaemon;
import io.ocicat.cli.Shell;
import io.ocicat.cli.Shell.Printed;
import io.ocicat.cli.doctor.DoctorCommand;
import io.ocicat.cli.options.NodeContext;
import io.ocicat.cli.resource.CommandContext;
import io.ocicat.cni.CniJson;
import io.ocicat.cni.exec.PluginReply;
import io.ocicat.daemon.call.PluginExecutables;
import io.ocicat.netlink.ns.NetNs;
import io.ocicat.testkit.Eventually;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * {@code ocicat connectivity} on a node with a pod of Calico's, next to another node that was
 * configured by hand.
 */
@Hosts
class ConnectivityCommandTest {
  private static final String ID = "46cc70".repeat(10) + "abcd";
  private static final String POD = "IgnoreUnknown=1;K8S_POD_NAMESPACE=shop;K8S_POD_NAME=web";
  private static final String RESOURCES =
      """
      {apiVersion: projectcalico.org/v3, kind: Node, metadata: {name: node-1},
       spec: {bgp: {ipv4Address: 192.0.2.11/24}}}
      ---
      {apiVersion: projectcalico.org/v3, kind: Node, metadata: {name: node-2},
       spec: {bgp: {ipv4Address: 192.0.2.12/24}}}
      ---
      {apiVersion: projectcalico.org/v3, kind: IPPool, metadata: {name: blue},
       spec: {cidr: 10.65.0.0/24, blockSize: 28}}
      ---
      {apiVersion: projectcalico.org/v3, kind: WorkloadEndpoint,
       metadata: {name: node--2-k8s-db-eth0, namespace: shop},
       spec: {node: node-2, orchestrator: k8s, pod: db, endpoint: eth0, interfaceName: cali1,
              ipNetworks: [10.65.1.2/32]}}
      """;

  @TempDir private Path directory;
  private LiveDaemon daemon;
  private Host node;
  private Host other;
  private Host remote;
  private Host local;
  private String web;
  private PluginReply attached;

  @BeforeEach
  void twoNodes(Host one, Host two, Host pod, Host remotePod) {
    daemon = LiveDaemon.start(directory);
    node = one;
    other = two;
    remote = remotePod;
    local = pod;
    Printed applied =
        DatastoreShell.embedded(directory.resolve("state")).runWith(RESOURCES, "apply", "-f", "-");
    assertThat(applied.exitCode()).as(applied.err()).isZero();
    one.connect(two, "192.0.2.11/24", "192.0.2.12/24");
    two.connect(remotePod, "10.65.1.1/24", "10.65.1.2/24");
    remotePod.exec("ip", "route", "add", "default", "via", "10.65.1.1");
    two.exec("sysctl", "-qw", "net.ipv4.ip_forward=1");
    two.exec("ip", "route", "add", "10.65.0.0/24", "via", "192.0.2.11");
    one.exec("ip", "route", "add", "10.65.1.0/24", "via", "192.0.2.12");
    one.exec("ip", "route", "add", "default", "via", "192.0.2.254");
    String network =
        """
        {"cniVersion":"1.0.0","name":"calico","type":"calico","datastore_type":"embedded",
         "nodename":"node-1","nodename_file_optional":true,"ipam_lock_file":"%s",
         "ipam":{"type":"calico-ipam"}}
        """
            .formatted(directory.resolve("ipam.lock"));
    attached =
        daemon.call(
            "calico",
            "ADD",
            ID,
            one,
            pod,
            network,
            Map.of("OCICAT_STATE_DIR", directory.resolve("state").toString(), "CNI_ARGS", POD));
    assertThat(attached.exitCode()).as(new String(attached.stdout(), UTF_8)).isZero();
    web = CniJson.parse(attached.stdout()).at("/ips/0/address").asString().replaceFirst("/.*", "");
  }

  @AfterEach
  void itStops() {
    daemon.close();
  }

  @Test
  void everyPairIsReportedWithItsTimeAndItsLargestPacket() {
    Printed printed = connectivity("--json");
    JsonNode pairs = CniJson.parse(printed.out());

    assertThat(printed.exitCode()).as(printed.out() + printed.err()).isZero();
    assertThat(pairs.findValuesAsString("to"))
        .containsExactlyInAnyOrder("shop/db", "node-1", "node-2", "shop/db", "shop/web", "node-2");
    for (JsonNode pair : pairs) {
      assertThat(pair.path("from").asString()).isIn("shop/web", "node-1");
      assertThat(pair.path("ok").asBoolean()).as(pair.toString()).isTrue();
      assertThat(pair.path("reason").asString()).isEmpty();
      assertThat(pair.path("latencyMicros").asLong()).isPositive();
      assertThat(pair.path("mtu").asInt()).isEqualTo(1500);
    }
    assertThat(pair(pairs, "node-1", "shop/web").at("/addresses/0/tcp").asString())
        .isEqualTo("carried");
    // Nobody serves there, and it says so.
    assertThat(pair(pairs, "shop/web", "shop/db").at("/addresses/0/tcp").asString())
        .isEqualTo("refused");
    assertThat(connectivity().out()).contains("6 pairs, all of them connected");
  }

  @Test
  void theStateThatCausesAFailureIsNamed() {
    node.exec("ip", "route", "del", "10.65.1.0/24");
    assertCause("shop/web", "shop/db", "remote-route", "10.65.1.2, a pod on node-2: missing");
    assertThat(doctor())
        .contains("nodes: this host's route to 10.65.1.2, a pod on node-2: missing");
    node.exec("ip", "route", "add", "unreachable", "10.65.1.0/24");
    assertCause("node-1", "shop/db", "remote-route", "refused by a route of type unreachable");
    node.exec("ip", "route", "replace", "10.65.1.0/24", "via", "192.0.2.12");

    node.exec("sysctl", "-qw", "net.ipv4.ip_forward=0");
    assertCause("shop/web", "shop/db", "forwarding", "net.ipv4.ip_forward: 0");
    assertThat(doctor()).contains("net.ipv4.ip_forward is 0");
    node.exec("sysctl", "-qw", "net.ipv4.ip_forward=1");

    String end = node.json("ip", "-j", "route", "get", web).at("/0/dev").asString();
    node.exec("ip", "route", "del", web);
    assertCause(
        "node-1", "shop/web", "host-route", "the host's route to %s: missing".formatted(web));
    assertThat(doctor()).contains("the host's route to %s: missing".formatted(web));
    node.exec("ip", "route", "add", web, "dev", end, "scope", "link");

    node.exec("nft", "add table inet guard");
    node.exec(
        "nft", "add chain inet guard pass { type filter hook forward priority 0; policy drop; }");
    assertCause("shop/web", "shop/db", "firewall", "chain pass of table inet guard: drops");
    node.exec("nft", "delete table inet guard");

    assertThat(connectivity().exitCode()).isZero();
  }

  @Test
  void whatIsOutsideNeedsARouteThere() {
    other.exec("ip", "address", "add", "203.0.113.9/32", "dev", "lo");
    node.exec("ip", "route", "replace", "default", "via", "192.0.2.12");
    assertThat(connectivity("--outside=203.0.113.9").exitCode()).isZero();

    node.exec("ip", "route", "del", "default");

    JsonNode pair =
        pair(
            CniJson.parse(connectivity("--json", "--outside=203.0.113.9").out()),
            "node-1",
            "outside");
    assertThat(pair.path("cause").asString()).isEqualTo("default-route");
    assertThat(pair.path("reason").asString()).contains("there is no default route");
    assertThat(doctor()).contains("the host's default route: missing");
  }

  @Test
  void whatALinkOnTheWayTakesIsMeasured() {
    String toPod = other.json("ip", "-j", "route", "get", "10.65.1.2").at("/0/dev").asString();
    remote.exec("ip", "link", "set", device(remote), "mtu", "1400");

    // A veth accepts a VLAN tag more, and drops the rest.
    JsonNode lost = pair(CniJson.parse(connectivity("--json").out()), "shop/web", "shop/db");
    assertThat(lost.path("ok").asBoolean()).isFalse();
    assertThat(lost.path("mtu").asInt()).isEqualTo(1404);
    assertThat(lost.path("reason").asString())
        .contains("packets of more than 1404 bytes are lost on the way without a word")
        .contains("run `ocicat connectivity` on node-2");

    other.exec("ip", "link", "set", toPod, "mtu", "1400");

    // Now the router says so, and whoever sends learns it.
    JsonNode known = pair(CniJson.parse(connectivity("--json").out()), "shop/web", "shop/db");
    assertThat(known.path("ok").asBoolean()).as(known.toString()).isTrue();
    assertThat(known.path("mtu").asInt()).isEqualTo(1400);
  }

  @Test
  void aPublishedPortLeadsToItsPod() {
    ObjectNode portmap =
        (ObjectNode)
            CniJson.parse(
                """
                {"cniVersion":"1.0.0","name":"calico","type":"portmap","snat":true,
                 "runtimeConfig":{"portMappings":[
                   {"hostPort":8080,"containerPort":80,"protocol":"tcp"},
                   {"hostPort":8053,"containerPort":53,"protocol":"udp"}]}}
                """);
    portmap.set("prevResult", CniJson.parse(attached.stdout()));
    PluginReply mapped =
        daemon.call(
            "portmap", "ADD", ID, node, local, Json.compact(portmap), Map.of("CNI_ARGS", POD));
    assertThat(mapped.exitCode()).as(new String(mapped.stdout(), UTF_8)).isZero();

    Printed printed = connectivity("--json");
    JsonNode published = pair(CniJson.parse(printed.out()), "node-1", "node-1:8080");
    assertThat(published.path("ok").asBoolean()).as(published.toString()).isTrue();
    assertThat(published.at("/addresses/0/address").asString()).isEqualTo("192.0.2.11");
    assertThat(published.at("/addresses/0/tcp").asString()).isEqualTo("carried");
    assertThat(printed.exitCode()).as("with UDP, which nobody can probe").isZero();

    node.exec("nft", "flush", "ruleset");
    Printed broken = connectivity("--json");
    JsonNode missing = pair(CniJson.parse(broken.out()), "node-1", "node-1:8080");
    assertThat(broken.exitCode()).isEqualTo(1);
    assertThat(missing.path("ok").asBoolean()).isFalse();
    assertThat(missing.path("reason").asString()).contains("8080", "(on node-1)");
  }

  @Test
  void whatIsServedHereCarriesSegmentsFromOtherNodes() throws Exception {
    assertThat(tcpFromNode2("shop/web")).isEqualTo("refused");

    AtomicReference<Thread> server = new AtomicReference<>();
    Thread serving =
        Thread.ofPlatform()
            .start(
                () ->
                    onNode(
                        context -> {
                          server.set(Thread.currentThread());
                          return new ConnectivityCommand(context, process());
                        },
                        "--serve"));
    try {
      Eventually.await(
          "node-1 serves in its pod", () -> tcpFromNode2("shop/web").equals("carried"));
      assertThat(tcpFromNode2("node-1")).isEqualTo("carried");
    } finally {
      Objects.requireNonNull(server.get()).interrupt();
      serving.join();
    }
    assertThat(tcpFromNode2("shop/web")).isEqualTo("refused");
  }

  /** How TCP ends that {@code ocicat connectivity} on node-2 tries. */
  private String tcpFromNode2(String to) {
    Shell shell =
        new Shell(
            LiveDaemon.folders(directory.resolve("other")),
            directory,
            PluginExecutables.none(),
            Map.of("NODENAME", "node-2"));
    Printed printed =
        run(
            other,
            shell,
            context -> new ConnectivityCommand(context, process()),
            "--json",
            "--timeout=300");
    return pair(CniJson.parse(printed.out()), "node-2", to).at("/addresses/0/tcp").asString();
  }

  @Test
  void anOptionThatMakesNoSenseIsRejected() {
    assertThat(connectivity("--outside=example.com").exitCode()).isEqualTo(2);
    assertThat(connectivity("--timeout=0").exitCode()).isEqualTo(2);
    assertThat(connectivity("--tcp-port=70000").exitCode()).isEqualTo(2);
  }

  private static String device(Host host) {
    return host.json("ip", "-j", "link", "show", "type", "veth").at("/0/ifname").asString();
  }

  private void assertCause(String from, String to, String cause, String words) {
    Printed printed = connectivity("--json");
    assertThat(printed.exitCode()).isEqualTo(1);
    JsonNode pair = pair(CniJson.parse(printed.out()), from, to);
    assertThat(pair.path("ok").asBoolean()).as(pair.toString()).isFalse();
    assertThat(pair.path("cause").asString()).as(pair.toString()).isEqualTo(cause);
    assertThat(pair.path("reason").asString()).contains(words, "(on node-1)");
  }

  private static JsonNode pair(JsonNode pairs, String from, String to) {
    return pairs
        .valueStream()
        .filter(
            pair ->
                pair.path("from").asString().equals(from) && pair.path("to").asString().equals(to))
        .findFirst()
        .orElseThrow(() -> new AssertionError(from + " → " + to + " is not in " + pairs));
  }

  private Printed connectivity(String... args) {
    return onNode(context -> new ConnectivityCommand(context, process()), "--timeout=300", args);
  }

  private CommandContext process() {
    return new CommandContext(
        Map.of("OCICAT_STATE_DIR", directory.resolve("state").toString()),
        Path.of("/nonexistent/calicoctl.cfg"),
        InputStream.nullInputStream(),
        false);
  }

  private String doctor() {
    return onNode(DoctorCommand::new, "--cni-path=" + directory.resolve("home/cni")).out();
  }

  private Printed onNode(
      Function<NodeContext, Callable<Integer>> command, String first, String... more) {
    Shell shell =
        new Shell(
            daemon.folders(), directory, PluginExecutables.none(), Map.of("NODENAME", "node-1"));
    return run(
        node,
        shell,
        command,
        Stream.concat(Stream.of(first), Stream.of(more)).toArray(String[]::new));
  }

  private Printed run(
      Host host, Shell shell, Function<NodeContext, Callable<Integer>> command, String... more) {
    String[] args =
        Stream.concat(
                Stream.of(
                    "--conf-dir=" + directory.resolve("net.d"),
                    "--cache-dir=" + directory.resolve("cache")),
                Stream.of(more))
            .toArray(String[]::new);
    try (NetNs namespace = NetNs.open(host.path())) {
      Files.createDirectories(directory.resolve("net.d"));
      return namespace.call(() -> shell.run(command, args));
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }
}
