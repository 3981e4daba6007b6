package io.ocicat.sandbox.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.cni.CniJson;
import io.ocicat.cni.PortMapping.Protocol;
import io.ocicat.netlink.ns.NamedNetNs;
import io.ocicat.sandbox.DnsConfig;
import io.ocicat.sandbox.PodConfig;
import io.ocicat.sandbox.PodMetadata;
import io.ocicat.sandbox.PodPort;
import io.ocicat.sandbox.TestNode;
import io.ocicat.sandbox.network.NetworkSettings.Loopback;
import io.ocicat.testkit.Command;
import io.ocicat.testkit.Eventually;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** kubelet's scenarios for its network plugin, with a plugin that only records its calls. */
@Hosts
class PodNetworksTest {
  private static final PodMetadata POD = new PodMetadata("web", "shop", "u-1", 0);
  private static final String ID = "a".repeat(64);
  private static final String FAKE =
      """
      case $CNI_COMMAND in
      VERSION) echo '{"cniVersion":"1.0.0","supportedVersions":["0.3.1","0.4.0","1.0.0"]}' ;;
      *)
        base=@folder@/told/$CNI_COMMAND.${0##*/}.$CNI_CONTAINERID
        cat >$base.stdin
        env | grep ^CNI_ | sort >$base.env
        echo once >>$base.times
        while [ -e @folder@/told/wait.$CNI_CONTAINERID ]; do sleep 0.02; done
        [ ! -e @folder@/told/fail.$CNI_COMMAND ] || { echo '{"code":999,"msg":"told to fail"}'; exit 1; }
        [ $CNI_COMMAND != ADD ] ||
          echo '{"cniVersion":"0.3.1","ips":[{"version":"4","address":"10.9.0.7/24"}]}'
      esac
      """;

  private TestNode node;
  private NamedNetNs namespaces;

  @BeforeEach
  void start(@TempDir Path folder, Host host) throws IOException {
    node = new TestNode(folder, host);
    namespaces = new NamedNetNs(folder.resolve("run/netns"));
    Files.createDirectories(folder.resolve("told"));
    Files.createDirectories(folder.resolve("fakes"));
    for (String name : List.of("fake", "loopback")) {
      TestNode.executable(
          folder.resolve("fakes").resolve(name), FAKE.replace("@folder@", folder.toString()));
    }
  }

  @AfterEach
  void end() {
    namespaces.list().forEach(namespaces::remove);
    node.close();
  }

  private void configure(String file, String name, String capabilities) {
    node.network(
        file,
        "{\"cniVersion\":\"0.3.1\",\"name\":\"%s\",\"plugins\":[{\"type\":\"fake\",\"capabilities\":{%s}}]}"
            .formatted(name, capabilities));
  }

  private PodNetworks networks() {
    return node.networks(
        node.networkSettings(node.folder().resolve("fakes")).loopback(Loopback.PLUGIN));
  }

  private String netns(String name) {
    namespaces.create(name).close();
    return namespaces.pathOf(name).toString();
  }

  private JsonNode stdin(String verb, String id) throws IOException {
    return CniJson.parse(Files.readAllBytes(told(verb, "fake", id, "stdin")));
  }

  private Path told(String verb, String plugin, String id, String what) {
    return node.folder().resolve("told/%s.%s.%s.%s".formatted(verb, plugin, id, what));
  }

  @Test
  void pluginsGetTheArgumentsThatKubeletPasses() throws IOException {
    configure(
        "10.conflist",
        "n1",
        "\"portMappings\":true,\"bandwidth\":true,\"ipRanges\":true,\"dns\":true,"
            + "\"io.kubernetes.cri.pod-annotations\":true");
    PodNetworks networks = networks();
    assertThat(networks.status().ready()).isFalse();
    assertThat(networks.status().message()).contains("no pod CIDR set");
    networks.podCidrs("10.9.0.0/24, fd00:9::/64");
    networks.podCidrs("10.10.0.0/24");
    assertThat(networks.status().ready()).isTrue();

    String netns = netns("p1");
    PodConfig config =
        PodConfig.of(POD)
            .ports(
                List.of(
                    new PodPort(Protocol.UDP, 53, 1053, "127.0.0.1"),
                    new PodPort(Protocol.TCP, 81, 0, "")))
            .annotations(
                Map.of(
                    "kubernetes.io/ingress-bandwidth", "1M",
                    "kubernetes.io/egress-bandwidth", "1M"))
            .dns(new DnsConfig(List.of("10.0.0.10"), List.of("a.b"), List.of()))
            .build();
    PodAttachment plan = networks.plan(ID, netns, config, "");
    assertThat(networks.setUp(plan).ips()).hasSize(1);

    assertThat(Files.readAllLines(told("ADD", "fake", ID, "env")))
        .contains(
            "CNI_COMMAND=ADD",
            "CNI_CONTAINERID=" + ID,
            "CNI_IFNAME=eth0",
            "CNI_NETNS=" + netns,
            "CNI_PATH=" + node.folder().resolve("fakes"),
            "CNI_ARGS=IgnoreUnknown=1;K8S_POD_NAMESPACE=shop;K8S_POD_NAME=web;"
                + "K8S_POD_INFRA_CONTAINER_ID="
                + ID
                + ";K8S_POD_UID=u-1");
    JsonNode given = stdin("ADD", ID).path("runtimeConfig");
    assertThat(given.path("portMappings").toString())
        .isEqualTo(
            "[{\"hostPort\":1053,\"containerPort\":53,\"protocol\":\"udp\",\"hostIP\":\"127.0.0.1\"}]");
    assertThat(given.path("bandwidth").toString())
        .isEqualTo(
            "{\"ingressRate\":1000000,\"ingressBurst\":2147483647,\"egressRate\":1000000,\"egressBurst\":2147483647}");
    assertThat(given.path("ipRanges").toString())
        .isEqualTo("[[{\"subnet\":\"10.9.0.0/24\"}],[{\"subnet\":\"fd00:9::/64\"}]]");
    assertThat(given.path("dns").toString())
        .isEqualTo("{\"servers\":[\"10.0.0.10\"],\"searches\":[\"a.b\"],\"options\":[]}");
    assertThat(given.path("io.kubernetes.cri.pod-annotations").size()).isEqualTo(2);

    networks.tearDown(plan);
    assertThat(stdin("DEL", ID).path("runtimeConfig")).isEqualTo(given);
    for (String verb : List.of("ADD", "DEL")) {
      for (String plugin : List.of("fake", "loopback")) {
        assertThat(Files.readAllLines(told(verb, plugin, ID, "times"))).hasSize(1);
      }
    }
  }

  @Test
  void withoutANamespaceDelIsAskedWithoutOne() throws IOException {
    configure("10.conflist", "n1", "");
    PodNetworks networks = networks();
    PodAttachment plan = networks.plan(ID, netns("p1"), PodConfig.of(POD).build(), "");
    networks.setUp(plan);
    namespaces.remove("p1");
    networks.tearDown(plan);
    assertThat(Files.readAllLines(told("DEL", "fake", ID, "env"))).contains("CNI_NETNS=");
  }

  @Test
  void addressesComeFromTheKernel() {
    configure("10.conflist", "n1", "");
    PodNetworks networks = networks();
    String netns = netns("p1");
    assertThatThrownBy(() -> networks.addresses(POD, netns)).hasMessageContaining("no eth0");
    for (String command :
        List.of(
            "ip link add eth0 type veth peer name other",
            "ip addr add 10.9.0.7/24 dev eth0",
            "ip addr add 10.9.0.8/24 dev eth0",
            "ip addr add fd00:9::7/64 dev eth0 nodad",
            "ip link set eth0 up")) {
      Command.of(("nsenter --net=" + netns + " -- " + command).split(" ", -1)).run();
    }
    assertThat(networks.addresses(POD, netns).stream().map(Object::toString))
        .containsExactly("10.9.0.7", "fd00:9::7");
    assertThatThrownBy(() -> networks.addresses(POD, "/run/netns/nobody"))
        .hasMessageContaining("web_shop");
  }

  @Test
  void aFailureNamesTheOperationAndThePod() throws IOException {
    configure("10.conflist", "n1", "");
    PodNetworks networks = networks();
    PodAttachment plan = networks.plan(ID, netns("p1"), PodConfig.of(POD).build(), "");
    networks.setUp(plan);
    Files.createFile(node.folder().resolve("told/fail.DEL"));
    assertThatThrownBy(() -> networks.tearDown(plan))
        .hasMessageContaining("networkPlugin cni failed to tear down pod \"web_shop\" network")
        .hasMessageContaining("told to fail");
  }

  @Test
  void aPodThatIsStuckKeepsOnlyItselfWaiting() throws Exception {
    configure("10.conflist", "n1", "");
    PodNetworks networks = networks();
    PodAttachment stuck = networks.plan(ID, netns("p1"), PodConfig.of(POD).build(), "");
    Path wait = Files.createFile(node.folder().resolve("told/wait." + ID));
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      Future<?> setUp = threads.submit(() -> networks.setUp(stuck));
      Eventually.await(
          "the plugin to be called", () -> Files.exists(told("ADD", "loopback", ID, "times")));
      Future<?> tearDown = threads.submit(() -> networks.tearDown(stuck));
      PodAttachment other =
          networks.plan(
              "b".repeat(64),
              netns("p2"),
              PodConfig.of(new PodMetadata("db", "shop", "u-2", 0)).build(),
              "");
      networks.setUp(other);
      assertThat(setUp.isDone()).isFalse();
      assertThat(tearDown.isDone()).isFalse();
      Files.delete(wait);
      setUp.get();
      tearDown.get();
    }
    assertThat(Files.readAllLines(told("DEL", "fake", ID, "times"))).hasSize(1);
  }

  @Test
  void manyPodsAtOnce() throws InterruptedException, ExecutionException, IOException {
    configure("10.conflist", "n1", "");
    PodNetworks networks = networks();
    List<Future<?>> all = new ArrayList<>();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < 10; i++) {
        String id = "%064x".formatted(i);
        String netns = netns("p" + i);
        PodConfig config = PodConfig.of(new PodMetadata("p" + i, "shop", "u", 0)).build();
        for (int cycle = 0; cycle < 4; cycle++) {
          all.add(
              threads.submit(
                  () -> {
                    PodAttachment plan = networks.plan(id, netns, config, "");
                    networks.setUp(plan);
                    networks.tearDown(plan);
                  }));
        }
      }
    }
    for (Future<?> each : all) {
      each.get();
    }
    for (int i = 0; i < 10; i++) {
      String id = "%064x".formatted(i);
      assertThat(Files.readAllLines(told("ADD", "fake", id, "times"))).hasSize(4);
      assertThat(Files.readAllLines(told("DEL", "fake", id, "times"))).hasSize(4);
    }
  }

  @Test
  void theFirstUsableFileCounts() {
    PodNetworks networks = networks();
    assertThat(networks.status().message()).contains("no networks found in");
    assertThatThrownBy(() -> networks.plan(ID, "", PodConfig.of(POD).build(), ""))
        .hasMessageContaining("no networks found in")
        .hasMessageContaining("put a network's configuration there");

    node.network(
        "05-none.conflist", "{\"name\":\"empty\",\"cniVersion\":\"0.3.1\",\"plugins\":[]}");
    node.network("06-list.conf", "{\"name\":\"l\",\"plugins\":[{\"type\":\"fake\"}]}");
    node.network(
        "07-new.conflist",
        "{\"cniVersion\":\"1.1.0\",\"name\":\"new\",\"plugins\":[{\"type\":\"fake\"}]}");
    node.network(
        "08-absent.conflist",
        "{\"cniVersion\":\"0.3.1\",\"name\":\"absent\",\"plugins\":[{\"type\":\"nowhere\"}]}");
    node.network("09.yaml", "not looked at");
    networks.refresh();
    assertThat(networks.status().ready()).isFalse();
    assertThat(networks.status().message()).contains("no valid networks found in");
    assertThat(networks.status().problems())
        .anySatisfy(line -> assertThat(line).contains("05-none.conflist"))
        .anySatisfy(line -> assertThat(line).contains("06-list.conf").contains(".conflist"))
        .anySatisfy(line -> assertThat(line).contains("07-new.conflist").contains("1.1.0"))
        .anySatisfy(line -> assertThat(line).contains("08-absent.conflist").contains("nowhere"))
        .noneSatisfy(line -> assertThat(line).contains("yaml"));

    node.network("20.conf", "{\"cniVersion\":\"0.3.1\",\"name\":\"single\",\"type\":\"fake\"}");
    networks.refresh();
    assertThat(networks.status().network()).isEqualTo("single");
    configure("10.conflist", "first", "");
    networks.refresh();
    assertThat(networks.status().network()).isEqualTo("first");
    configure(".hidden.conflist", "hidden", "");
    networks.refresh();
    assertThat(networks.status().network()).isEqualTo("hidden");
  }

  @Test
  void theIpamPluginIsNotLookedFor() {
    node.network(
        "10.conflist",
        "{\"cniVersion\":\"0.3.1\",\"name\":\"n\",\"plugins\":[{\"type\":\"fake\",\"ipam\":{\"type\":\"nowhere\"}}]}");
    NetworkStatus status = networks().status();
    assertThat(status.ready()).isTrue();
    assertThat(status.problems()).anySatisfy(line -> assertThat(line).contains("nowhere"));
  }

  @Test
  void theLastGoodNetworkStays() throws IOException {
    configure("10.conflist", "n1", "");
    PodNetworks networks = networks();
    NetworkSettings settings = node.networkSettings(node.folder().resolve("fakes")).forgetful(true);
    PodNetworks forgetful = node.networks(settings);
    Files.delete(node.confDirectory().resolve("10.conflist"));
    networks.refresh();
    forgetful.refresh();
    assertThat(networks.status().ready()).isTrue();
    assertThat(networks.status().network()).isEqualTo("n1");
    assertThat(forgetful.status().ready()).isFalse();
    assertThat(forgetful.status().message()).contains("no networks found in");
  }

  @Test
  void aFileThatIsBeingWrittenDoesNotLoseItsPlace() throws IOException {
    configure("10.conflist", "n1", "");
    configure("20.conflist", "n2", "");
    PodNetworks networks = networks();
    Path first = node.confDirectory().resolve("10.conflist");
    Files.writeString(first, "{\"cniVersion\":\"0.3.1\",\"na");
    networks.refresh();
    assertThat(networks.status().network()).isEqualTo("n1");
    assertThat(networks.status().problems())
        .anySatisfy(line -> assertThat(line).contains("10.conflist"));
    // Nobody is still writing it.
    Files.setLastModifiedTime(first, FileTime.from(Instant.now().minusSeconds(5)));
    networks.refresh();
    assertThat(networks.status().network()).isEqualTo("n2");
  }

  @Test
  void whateverHappensToTheDirectoryTheNextReadingSees() throws IOException {
    Path directory = node.confDirectory();
    Files.delete(directory);
    PodNetworks networks = networks();
    assertThat(networks.status().ready()).isFalse();
    Files.createDirectory(directory);
    configure("10.conflist", "n1", "");
    assertNetworkIs(networks, "n1");
    configure("05.conflist", "n0", "");
    assertNetworkIs(networks, "n0");
    Files.delete(directory.resolve("05.conflist"));
    assertNetworkIs(networks, "n1");
    Files.writeString(
        directory.resolve("01.conflist"),
        "{\"cniVersion\":\"0.3.1\",\"name\":\"whole\",\"plugins\":[{\"type\":\"fake\"}]}");
    assertNetworkIs(networks, "whole");
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : files.toList()) {
        Files.delete(file);
      }
    }
    Files.delete(directory);
    Files.createDirectory(directory);
    configure("10.conflist", "back", "");
    assertNetworkIs(networks, "back");
  }

  private static void assertNetworkIs(PodNetworks networks, String name) {
    networks.refresh();
    assertThat(networks.status().network()).isEqualTo(name);
  }

  @Test
  void podCidrsMustBePrefixes() {
    PodNetworks networks = networks();
    assertThatThrownBy(() -> networks.podCidrs("10.9.0.0/24,nonsense"))
        .hasMessageContaining("\"nonsense\"");
  }
}
