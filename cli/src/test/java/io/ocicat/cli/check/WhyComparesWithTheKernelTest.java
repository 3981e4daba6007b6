package io.ocicat.cli.check;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.base.json.Json;
import io.ocicat.cli.DatastoreShell;
import io.ocicat.cli.LiveDaemon;
import io.ocicat.cli.Shell;
import io.ocicat.cli.Shell.Printed;
import io.ocicat.cli.inspect.WhyCommand;
import io.ocicat.cni.CniJson;
import io.ocicat.cni.exec.PluginReply;
import io.ocicat.daemon.call.PluginExecutables;
import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.Datastores;
import io.ocicat.datastore.config.DatastoreConfig;
import io.ocicat.datastore.error.NotFoundException;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceQuery;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** {@code why} says {@code attached} only of what is so in the kernel (review U2, U19, U20). */
@Hosts
class WhyComparesWithTheKernelTest {
  private static final String POD = "IgnoreUnknown=1;K8S_POD_NAMESPACE=shop;K8S_POD_NAME=db";
  private static final String ID = "46cc70".repeat(10) + "abcd";
  private static final String RESOURCES =
      """
      {apiVersion: projectcalico.org/v3, kind: Node, metadata: {name: node-1}, spec: {}}
      ---
      {apiVersion: projectcalico.org/v3, kind: IPPool, metadata: {name: blue},
       spec: {cidr: 10.65.0.0/24, blockSize: 28, natOutgoing: true}}
      """;

  @TempDir private Path directory;
  private LiveDaemon daemon;

  @BeforeEach
  void aDaemon() {
    daemon = LiveDaemon.start(directory);
  }

  @AfterEach
  void itStops() {
    daemon.close();
  }

  /** A bridge that masquerades, and a port of the host. */
  private void bridge(Host host, Host pod) {
    String bridge =
        """
        {"cniVersion":"1.0.0","name":"blue","type":"bridge","bridge":"br7","isDefaultGateway":true,
         "ipMasq":true,"ipam":{"type":"host-local","subnet":"10.77.0.0/24","dataDir":"%s"}}
        """
            .formatted(directory.resolve("leases"));
    Map<String, String> args = Map.of("CNI_ARGS", POD);
    PluginReply reply = daemon.call("bridge", "ADD", ID, host, pod, bridge, args);
    assertThat(reply.exitCode()).as(new String(reply.stdout(), UTF_8)).isZero();
    ObjectNode portmap =
        (ObjectNode)
            CniJson.parse(
                """
                {"cniVersion":"1.0.0","name":"blue","type":"portmap","snat":true,
                 "runtimeConfig":{"portMappings":[{"hostPort":8080,"containerPort":80,"protocol":"tcp"}]}}
                """);
    portmap.set("prevResult", CniJson.parse(reply.stdout()));
    PluginReply second = daemon.call("portmap", "ADD", ID, host, pod, Json.compact(portmap), args);
    assertThat(second.exitCode()).as(new String(second.stdout(), UTF_8)).isZero();
  }

  /** A pod of Calico's, on a host with a default route. */
  private void calico(Host host, Host pod) {
    Path state = directory.resolve("calico");
    Printed applied = DatastoreShell.embedded(state).runWith(RESOURCES, "apply", "-f", "-");
    assertThat(applied.exitCode()).as(applied.err()).isZero();
    host.exec("ip", "link", "add", "up0", "type", "bridge");
    host.exec("ip", "address", "add", "192.0.2.1/24", "dev", "up0");
    host.exec("ip", "link", "set", "up0", "up");
    host.exec("ip", "route", "add", "default", "via", "192.0.2.254");
    String network =
        """
        {"cniVersion":"1.0.0","name":"calico","type":"calico","datastore_type":"embedded",
         "nodename":"node-1","nodename_file_optional":true,"ipam_lock_file":"%s",
         "ipam":{"type":"calico-ipam"}}
        """
            .formatted(directory.resolve("ipam.lock"));
    PluginReply reply =
        daemon.call(
            "calico", "ADD", ID, host, pod, network, Map.of("OCICAT_STATE_DIR", state.toString()));
    assertThat(reply.exitCode()).as(new String(reply.stdout(), UTF_8)).isZero();
  }

  @Test
  void aPodOnABridgeIsAttachedWhileAllOfItIsThere(Host host, Host pod) {
    bridge(host, pod);

    Printed why = why("db");

    assertThat(why.out())
        .contains("shop/db, 46cc7046cc70 eth0 on blue: attached")
        .contains("attached by bridge, portmap ")
        .doesNotContain(ID, "next:");
    assertThat(why.exitCode()).isZero();
    assertThat(why("10.77.0.2").out()).contains("shop/db, 46cc7046cc70 eth0 on blue: attached");
    assertThat(
            CniJson.parse(why("10.77.0.2", "--json").out())
                .at("/attachments/0/container")
                .asString())
        .isEqualTo(ID);
    assertThat(why("10.77.0.3").exitCode()).isEqualTo(1);
  }

  @Test
  void aHostEndThatIsNotAPortOfItsBridgeIsReported(Host host, Host pod) {
    bridge(host, pod);
    String port = host.json("ip", "-j", "link", "show", "master", "br7").at("/0/ifname").asString();

    host.exec("ip", "link", "set", port, "nomaster");
    assertBroken(
        "bridge",
        "%s, the host's end: not a port of any bridge, not a port of br7".formatted(port));
    host.exec("ip", "link", "set", port, "master", "br7");
    assertThat(kind()).isEmpty();
    host.exec("ip", "link", "set", "br7", "down");
    assertBroken("bridge", "bridge br7: down, not up");
    host.exec("ip", "link", "set", "br7", "up");
    host.exec("ip", "link", "set", port, "down");
    assertBroken("host-end", port + ": down, not up");
  }

  @Test
  void forwardingThatIsOffIsNamed(Host host, Host pod) {
    bridge(host, pod);

    host.exec("sysctl", "-w", "net.ipv4.ip_forward=0");
    assertBroken("forwarding", "net.ipv4.ip_forward: 0", "`sysctl -w net.ipv4.ip_forward=1`");
    host.exec("sysctl", "-w", "net.ipv4.ip_forward=1");
    host.exec("sysctl", "-w", "net.ipv4.conf.br7.forwarding=0");
    assertBroken("forwarding", "net.ipv4.conf.br7.forwarding: 0");
  }

  @Test
  void whatIsMissingInTheContainerIsNamed(Host host, Host pod) {
    bridge(host, pod);

    pod.exec("ip", "route", "del", "default");
    assertBroken("container-route", "the container's route to 0.0.0.0/0 via 10.77.0.1: missing");
    pod.exec("ip", "link", "set", "eth0", "down");
    pod.exec("ip", "link", "set", "eth0", "address", "02:00:00:00:00:01");
    assertThat(why(ID).out()).contains("hardware address of eth0: 02:00:00:00:00:01, not ");
  }

  @Test
  void aMasqueradeElementThatIsGoneIsNamed(Host host, Host pod) {
    bridge(host, pod);

    host.exec("nft", "delete element inet ocicat_masquerade sources4 { 10.77.0.2 }");

    assertBroken("masquerade", "address 10.77.0.2/24 of blue/46cc7046cc70/eth0 is not masqueraded");
  }

  @Test
  void aPortMapElementThatIsGoneIsNamed(Host host, Host pod) {
    bridge(host, pod);

    host.exec("nft", "flush map inet ocicat_portmap ports4");

    assertBroken("port-map", "host ports of blue/46cc7046cc70/eth0 are not forwarded");
  }

  @Test
  void aLeaseOfHostLocalThatIsGoneIsNamed(Host host, Host pod) throws IOException {
    bridge(host, pod);

    Files.delete(directory.resolve("leases/blue/10.77.0.2"));

    assertBroken("lease", "host-local's lease of the address: ");
  }

  @Test
  void anAddressThatIsThereTwiceIsNamed(Host host, Host pod, Host other) {
    bridge(host, pod);
    daemon.call("ADD", "other", host, other, daemon.network("10.77.0.0/24"));
    String elsewhere =
        daemon.network("10.77.0.0/24").replace("leases", "leases-of-another-dataDir");
    daemon.call("DEL", "other", host, other, daemon.network("10.77.0.0/24"));
    daemon.call("ADD", "other", host, other, elsewhere);

    assertBroken("duplicate-address", "address 10.77.0.2: other/eth0 has it as well");
    daemon.call("DEL", "other", host, other, elsewhere);
    assertThat(kind()).isEmpty();
    host.exec("ip", "address", "add", "10.77.0.2/32", "dev", "lo");
    assertBroken("duplicate-address", "address 10.77.0.2: the host's lo has it as well");
  }

  @Test
  void theHostsRouteToACalicoPodIsNamedWithTheCommandThatPutsItBack(Host host, Host pod) {
    calico(host, pod);
    assertThat(why(ID).out()).contains("46cc7046cc70 eth0 on calico: attached");
    String end = host.json("ip", "-j", "link", "show", "type", "veth").at("/0/ifname").asString();
    String address = addressOf(pod);

    host.exec("ip", "route", "del", address);

    assertBroken(
        "host-route",
        "the host's route to %s: missing, not by %s".formatted(address, end),
        "`ip route add %s/32 dev %s scope link`".formatted(address, end));
    host.exec("ip", "route", "add", address + "/32", "dev", end, "scope", "link");
    assertThat(kind()).isEmpty();
    host.exec("ip", "link", "set", end, "down");
    assertBroken("host-end", end + ": down, not up");
  }

  @Test
  void aHostWithoutADefaultRouteKeepsCalicosPodsFromTheirGateway(Host host, Host pod) {
    calico(host, pod);

    host.exec("ip", "route", "del", "default");

    assertBroken("default-route", "the host's default route: missing", "169.254.1.1");
  }

  @Test
  void nobodyAnswersForTheGatewayWithoutProxyArp(Host host, Host pod) {
    calico(host, pod);
    String end = host.json("ip", "-j", "link", "show", "type", "veth").at("/0/ifname").asString();

    host.exec("sysctl", "-w", "net.ipv4.conf.%s.proxy_arp=0".formatted(end));

    assertBroken("neighbour", "net.ipv4.conf.%s.proxy_arp: 0".formatted(end));
  }

  @Test
  void calicosLeaseAndMasqueradingAreChecked(Host host, Host pod) {
    calico(host, pod);
    String table =
        host.exec("nft", "list", "tables")
            .stdout()
            .lines()
            .filter(line -> line.contains("ocicat_nat_outgoing"))
            .map(line -> line.split(" ", -1)[2])
            .findFirst()
            .orElseThrow();
    host.exec("nft", "flush", "set", "inet", table, "pools4");
    assertBroken("masquerade", "is not masqueraded");

    try (Datastore datastore =
        Datastores.openOwn(new DatastoreConfig.Embedded(directory.resolve("calico")))) {
      for (Resource block : datastore.list(ResourceQuery.of(Kind.IPAM_BLOCK)).items()) {
        datastore.delete(block.key(), null);
      }
    } catch (NotFoundException e) {
      throw new AssertionError(e);
    }
    assertBroken("lease", "calico-ipam's lease of the address: ");
  }

  private static String addressOf(Host pod) {
    return pod.json("ip", "-j", "-4", "address", "show", "eth0")
        .at("/0/addr_info/0/local")
        .asString();
  }

  private void assertBroken(String kind, String... words) {
    Printed why = why(ID);
    assertThat(why.exitCode()).as(why.out()).isEqualTo(1);
    assertThat(why.out()).contains("broken (" + kind + ")").contains(words).contains("next: ");
    assertThat(kind()).isEqualTo(kind);
  }

  /** Of the first problem. */
  private String kind() {
    JsonNode json = CniJson.parse(why(ID, "--json").out());
    return json.at("/attachments/0/problems/0/kind").asString("");
  }

  private Printed why(String... args) {
    return new Shell(daemon.folders(), directory, PluginExecutables.none())
        .run(
            WhyCommand::new,
            Stream.concat(
                    Stream.of(args),
                    Stream.of(
                        "--conf-dir=" + directory.resolve("net.d"),
                        "--cache-dir=" + directory.resolve("cache")))
                .toArray(String[]::new));
  }
}
