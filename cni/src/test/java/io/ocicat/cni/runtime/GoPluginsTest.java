package io.ocicat.cni.runtime;

import static io.ocicat.cni.runtime.Lab.fails;
import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.base.json.Json;
import io.ocicat.cni.Attachment;
import io.ocicat.cni.CniJson;
import io.ocicat.cni.ConfigList;
import io.ocicat.cni.Interface;
import io.ocicat.cni.IpConfig;
import io.ocicat.cni.PluginConfig;
import io.ocicat.cni.PortMapping;
import io.ocicat.cni.PortMapping.Protocol;
import io.ocicat.cni.Result;
import io.ocicat.cni.SpecVersion;
import io.ocicat.cni.exec.ProcessExec;
import io.ocicat.cni.exec.Scripts;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Our runtime drives the Go plugins of Debian (containernetworking-plugins 1.1.1) on real
 * namespaces. They work on their caller's host, so each is wrapped in a script that enters the
 * test's host first; their IPAM plugins are found in the same directory.
 */
@Hosts
@Timeout(120)
class GoPluginsTest {
  private static final Path GO = Path.of("/usr/lib/cni");

  @TempDir Path directory;
  private Lab lab;
  private Host host;

  @BeforeEach
  void installPlugins(Host host) throws IOException {
    this.host = host;
    this.lab = new Lab(directory);
    // Where there is an ip6tables, their portmap misses IPv6 rules for a container without IPv6.
    Path tools = Files.createDirectories(directory.resolve("tools"));
    new Scripts(tools).write("iptables", "exec /usr/sbin/iptables \"$@\"");
    Scripts scripts = new Scripts(lab.plugins);
    for (String name :
        List.of("bridge", "ptp", "loopback", "host-local", "static", "portmap", "tuning")) {
      assertThat(GO.resolve(name)).as("install containernetworking-plugins").isExecutable();
      scripts.write(
          name,
          "export PATH=" + tools,
          "exec /usr/bin/nsenter --net=%s -- %s".formatted(host.path(), GO.resolve(name)));
    }
  }

  private Cni.Builder builder() {
    return lab.builder().exec(new ProcessExec());
  }

  private Network network(String conf) {
    return builder().build().network(ConfigList.parse(conf));
  }

  private Path leases() {
    return directory.resolve("leases");
  }

  private String bridge(String versions) {
    return """
        { "name": "go-net", %s, "plugins": [
          { "type": "bridge", "bridge": "br7", "isGateway": true, "ipMasq": true,
            "ipam": { "type": "host-local", "subnet": "10.77.0.0/16", "dataDir": "%s",
                      "routes": [ { "dst": "0.0.0.0/0" } ] } },
          { "type": "portmap", "capabilities": { "portMappings": true }, "snat": true } ] }
        """
        .formatted(versions, leases());
  }

  private List<String> leased() throws IOException {
    try (Stream<Path> files = Files.list(leases().resolve("go-net"))) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(name -> Character.isDigit(name.charAt(0)))
          .sorted()
          .toList();
    }
  }

  private static List<String> links(Host where) {
    return stream(where.json("ip", "-j", "link")).map(l -> l.get("ifname").stringValue()).toList();
  }

  private static Stream<JsonNode> stream(JsonNode array) {
    return array.values().stream();
  }

  private static List<String> addresses(Host where, String link) {
    return stream(where.json("ip", "-j", "-4", "address", "show", "dev", link))
        .flatMap(l -> stream(l.get("addr_info")))
        .map(a -> a.get("local").stringValue() + "/" + a.get("prefixlen").intValue())
        .toList();
  }

  private String firewall() {
    return host.exec("iptables-save", "-t", "nat").stdout();
  }

  private static Container container(Host inside) {
    return Container.of("c42", inside.path())
        .arg("IgnoreUnknown", "1")
        .portMappings(new PortMapping(8080, 80, Protocol.TCP, null));
  }

  @ParameterizedTest
  @ValueSource(strings = {"0.3.1", "0.4.0", "1.0.0"})
  void bridgeWithHostLocalAndPortmap(String version, Host inside) throws IOException {
    String conf = bridge("\"cniVersion\":\"%s\"".formatted(version));
    Network network = network(conf);
    assertThat(network.validate().orThrow()).containsExactly("portMappings");

    Result result = network.add(container(inside));
    assertThat(result.version()).isEqualTo(SpecVersion.of(version));
    assertThat(result.interfaces()).extracting(Interface::name).startsWith("br7").endsWith("eth0");
    IpConfig ip = result.ips().getFirst();
    assertThat(result.interfaceOf(ip).map(Interface::sandbox)).hasValue(inside.path().toString());
    assertThat(addresses(inside, "eth0")).containsExactly(ip.address().toString());
    assertThat(addresses(host, "br7")).containsExactly("10.77.0.1/16");
    assertThat(leased()).containsExactly("10.77.0.2");
    assertThat(firewall()).contains("--dport 8080", "--to-destination 10.77.0.2:80");
    inside.exec("ping", "-c1", "-W5", "10.77.0.1");

    assertThat(lab.cacheJson("go-net-c42-eth0")).isEqualTo(asLibcniWritesIt(conf, inside, result));

    if (SpecVersion.of(version).isAtLeast(SpecVersion.V0_4_0)) {
      network.check(container(inside));
      inside.exec("ip", "address", "flush", "dev", "eth0");
      fails(() -> network.check(container(inside))).withMessageContaining("10.77.0.2");
      // Their bridge does not remove the masquerading of addresses it does not find on DEL.
      inside.exec("ip", "address", "add", ip.address().toString(), "dev", "eth0");
    }

    // The port mappings need not be passed again, though portmap cannot do without them.
    network.del(Container.of("c42", inside.path()));
    assertThat(links(inside)).containsExactly("lo");
    assertThat(links(host)).containsExactlyInAnyOrder("lo", "br7");
    assertThat(leased()).isEmpty();
    assertThat(firewall()).doesNotContain("8080").doesNotContain("10.77.0.2");
    assertThat(lab.cacheFiles()).isEmpty();
    network.del(Container.of("c42", inside.path()));
    assertThat(lab.warnings).isEmpty();
  }

  private static ObjectNode asLibcniWritesIt(String conf, Host inside, Result result) {
    ObjectNode expected =
        Json.object()
            .put("kind", "cniCacheV1")
            .put("containerId", "c42")
            .put(
                "config", Base64.getEncoder().encodeToString(conf.getBytes(StandardCharsets.UTF_8)))
            .put("ifName", "eth0")
            .put("networkName", "go-net")
            .put("netns", inside.path().toString());
    expected.set("cniArgs", CniJson.parse("[[\"IgnoreUnknown\",\"1\"]]"));
    expected.set(
        "capabilityArgs",
        CniJson.parse(
            "{\"portMappings\":[{\"hostPort\":8080,\"containerPort\":80,\"protocol\":\"tcp\"}]}"));
    expected.set("result", result.toJson());
    return expected;
  }

  @Test
  void theVersionIsNegotiatedDownToWhatTheyHave(Host inside) throws IOException {
    Cni cni = builder().negotiatesWithPlugins(true).build();
    Network network =
        cni.network(ConfigList.parse(bridge("\"cniVersions\":[\"0.4.0\",\"1.0.0\",\"1.1.0\"]")));
    assertThat(network.version()).isEqualTo("1.1.0");
    assertThat(network.validate().isValid()).isTrue();
    assertThat(network.add(container(inside)).version()).isEqualTo(SpecVersion.V1_0_0);
    // A runtime that does not negotiate would be rejected with 1.1.0, but the cache has the
    // version.
    builder().build().network(cni.attachments("c42").getFirst()).del(container(inside));
    assertThat(leased()).isEmpty();
  }

  @Test
  void withoutNegotiationTheyRefuseWhatTheyDoNotHave(Host inside) {
    Network network = network(bridge("\"cniVersions\":[\"0.4.0\",\"1.0.0\",\"1.1.0\"]"));
    fails(() -> network.add(container(inside)))
        .withMessageStartingWith("plugin type=\"bridge\" failed (add): incompatible CNI versions; ")
        .matches(e -> e.code().value() == 1);
    assertThat(network.validate().problems())
        .extracting(Validation.Finding::path)
        .containsExactly("plugins[0].type", "plugins[0].ipam.type", "plugins[1].type");
  }

  @Test
  void aFailedAddLeavesNothingWhenItIsRolledBack(Host inside) throws IOException {
    Network network =
        builder()
            .rollBackFailedAdds(Duration.ofSeconds(30))
            .build()
            .network(ConfigList.parse(bridge("\"cniVersion\":\"1.0.0\"")));
    // portmap rejects it on DEL as well, which does not keep bridge from being called.
    Container bad = container(inside).portMappings(new PortMapping(0, 80, Protocol.TCP, null));
    fails(() -> network.add(bad))
        .withMessageStartingWith("plugin type=\"portmap\" failed (add): ")
        .withMessageContaining("rollback failed, too");
    assertThat(links(inside)).containsExactly("lo");
    assertThat(leased()).isEmpty();
    assertThat(lab.cacheFiles()).isEmpty();
  }

  @Test
  void staleAttachmentsAreCollected(Host inside, Host other) throws IOException {
    Network network = network(bridge("\"cniVersion\":\"1.0.0\""));
    network.add(container(inside));
    network.add(Container.of("c43", other.path()));
    assertThat(leased()).containsExactly("10.77.0.2", "10.77.0.3");
    network.gc(List.of(new Attachment("c43", "eth0")));
    assertThat(leased()).containsExactly("10.77.0.3");
    assertThat(links(inside)).containsExactly("lo");
    assertThat(links(other)).contains("eth0");
    network.gcAll();
    assertThat(leased()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "0.1.0", "0.2.0", "0.3.0", "0.4.0", "1.0.0"})
  void ptpWithStaticAddresses(String version, Host inside) {
    Network network =
        network(
            """
            { "name": "go-ptp", "cniVersion": "%s", "plugins": [
              { "type": "ptp", "ipam": { "type": "static", "addresses": [
                  { "address": "10.66.0.2/24", "gateway": "10.66.0.1" } ],
                "routes": [ { "dst": "0.0.0.0/0" } ] } },
              { "type": "tuning", "mtu": 1400 } ] }
            """
                .formatted(version));
    Container container = Container.of("c1", inside.path()).ifName("net0");
    Result result = network.add(container);
    assertThat(result.version()).isEqualTo(SpecVersion.of(version));
    assertThat(result.ips())
        .extracting(ip -> ip.address().toString())
        .containsExactly("10.66.0.2/24");
    assertThat(addresses(inside, "net0")).containsExactly("10.66.0.2/24");
    inside.exec("ping", "-c1", "-W5", "10.66.0.1");
    if (SpecVersion.of(version).isAtLeast(SpecVersion.V0_4_0)) {
      network.check(container);
    }
    assertThat(network.cachedResult(container)).hasValue(result);
    network.del(container);
    assertThat(links(inside)).containsExactly("lo");
    assertThat(links(host)).containsExactly("lo");
    network.del(container);
  }

  @ParameterizedTest
  @ValueSource(strings = {"0.4.0", "1.0.0"})
  void loopback(String version, Host inside) {
    inside.exec("ip", "link", "set", "lo", "down");
    Network network =
        builder()
            .build()
            .network(
                PluginConfig.parse(
                    "{\"name\":\"lo\",\"cniVersion\":\"%s\",\"type\":\"loopback\"}"
                        .formatted(version)
                        .getBytes(StandardCharsets.UTF_8)));
    Container container = Container.of("c1", inside.path()).ifName("lo");
    Result result = network.add(container);
    assertThat(result.ips()).extracting(ip -> ip.address().toString()).contains("127.0.0.1/8");
    network.check(container);
    inside.exec("ping", "-c1", "-W5", "127.0.0.1");
    inside.exec("ip", "link", "set", "lo", "down");
    fails(() -> network.check(container));
    network.del(container);
    assertThat(lab.cacheFiles()).isEmpty();
  }

  @Test
  void delSucceedsWhenTheNamespaceIsGone(Host inside) throws IOException {
    Network network = network(bridge("\"cniVersion\":\"1.0.0\""));
    network.add(container(inside));
    inside.close();
    network.del(Container.of("c42", inside.path()));
    assertThat(leased()).isEmpty();
    assertThat(firewall()).doesNotContain("8080");
    assertThat(lab.cacheFiles()).isEmpty();
  }

  @Test
  void theyAllTellTheirVersions() {
    Cni cni = builder().build();
    for (String name : List.of("bridge", "ptp", "loopback", "host-local", "static", "portmap")) {
      assertThat(cni.versions(name).supportedVersions()).endsWith("1.0.0");
    }
  }
}
