package io.ocicat.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.agent.startup.NodeFiles;
import io.ocicat.base.CrashPoints;
import io.ocicat.datastore.kv.KeyValueDatastore;
import io.ocicat.datastore.kv.Transaction;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.ResourceQuery;
import io.ocicat.netlink.ns.NetNs;
import io.ocicat.testkit.Eventually;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The agent as a process runs it, with flannel turned on by a variable. */
@Hosts
class FlannelServiceTest {
  @TempDir Path folder;
  private final List<String> log = new CopyOnWriteArrayList<>();

  private AgentService start(Host host, Map<String, String> variables) {
    Map<String, String> environment = new HashMap<>(variables);
    environment.put("OCICAT_FLANNEL", "true");
    environment.put("OCICAT_STATE_DIR", folder.resolve("state").toString());
    environment.put("NODENAME", "node1");
    environment.put("IP", "autodetect");
    environment.put("FELIX_ENDPOINTSTATUSPATHPREFIX", folder.toString());
    environment.put("FLANNELD_SUBNET_FILE", folder.resolve("subnet.env").toString());
    environment.put("FLANNELD_NET_CONFIG_PATH", folder.resolve("net-conf.json").toString());
    try (NetNs namespace = NetNs.open(host.path())) {
      return namespace.visit(
          () ->
              AgentService.start(
                  environment,
                  folder.resolve("run"),
                  log::add,
                  new NodeFiles(folder.resolve("nodename"), folder.resolve("mtu")),
                  UnaryOperator.identity(),
                  CrashPoints.IGNORED));
    }
  }

  private static void connect(Host host) {
    host.exec("ip", "link", "add", "eth0", "type", "veth", "peer", "name", "up0");
    host.exec("ip", "address", "add", "192.168.7.1/24", "dev", "eth0");
    host.exec("ip", "link", "set", "up0", "up");
    host.exec("ip", "link", "set", "eth0", "up");
    host.exec("ip", "route", "add", "default", "via", "192.168.7.254");
  }

  @Test
  void aNodeIsReadyWhenItHasALease(Host host) throws Exception {
    connect(host);
    try (AgentService service = start(host, Map.of())) {
      Eventually.await(
          "what is missing is named",
          () ->
              service.status().problems().stream()
                  .anyMatch(it -> it.contains("flannel: the network is not configured")));
      assertThat(service.status().isReady()).isFalse();
      Files.writeString(
          folder.resolve("net-conf.json"),
          "{\"Network\":\"10.50.0.0/16\",\"Backend\":{\"Type\":\"vxlan\"}}");
      Eventually.await("ready", () -> service.status().isReady());
      assertThat(folder.resolve("subnet.env")).content().startsWith("FLANNEL_NETWORK=10.50.0.0/16");
      Eventually.await(
          "the device", () -> host.tryExec("ip", "link", "show", "flannel.1").succeeded());
      try (TestCluster cluster = TestCluster.embedded(folder.resolve("state"))) {
        assertThat(cluster.datastore().list(ResourceQuery.of(Kind.IP_POOL)).items()).isEmpty();
      }

      // The node moves to another address, and its lease with it.
      String subnets = Files.readString(folder.resolve("subnet.env"));
      host.exec("ip", "address", "add", "192.168.7.2/24", "dev", "eth0");
      host.exec("ip", "address", "del", "192.168.7.1/24", "dev", "eth0");
      host.exec("ip", "address", "replace", "192.168.7.2/24", "dev", "eth0");
      host.exec("ip", "route", "replace", "default", "via", "192.168.7.254");
      Eventually.passes(
          Duration.ofSeconds(10),
          () ->
              assertThat(host.exec("ip", "-d", "link", "show", "flannel.1").stdout())
                  .as("%s %s", service.status().problems(), log)
                  .contains("local 192.168.7.2"));
      assertThat(folder.resolve("subnet.env")).hasContent(subnets);
    }
  }

  @Test
  void leasesMayBeTheRangesOfNodes(Host host) throws Exception {
    connect(host);
    Files.writeString(
        folder.resolve("net-conf.json"),
        "{\"Network\":\"10.50.0.0/16\",\"Backend\":{\"Type\":\"host-gw\"}}");
    try (AgentService service =
        start(
            host,
            Map.of("FLANNELD_KUBE_SUBNET_MGR", "true", "OCICAT_CLUSTER_CIDR", "10.50.0.0/16"))) {
      Eventually.await("ready", () -> service.status().isReady());
      assertThat(folder.resolve("subnet.env"))
          .hasContent(
              """
              FLANNEL_NETWORK=10.50.0.0/16
              FLANNEL_SUBNET=10.50.0.1/24
              FLANNEL_MTU=1500
              FLANNEL_IPMASQ=false
              """);
    }
  }

  @Test
  void aNetworkThatContainsTheNodesIsNamed(Host host) throws Exception {
    connect(host);
    Files.writeString(
        folder.resolve("net-conf.json"),
        "{\"Network\":\"192.168.0.0/16\",\"Backend\":{\"Type\":\"vxlan\"}}");
    try (AgentService service = start(host, Map.of())) {
      String line =
          "flannel: the network 192.168.0.0/16 overlaps 192.168.7.0/24 of interface eth0: pods"
              + " cannot reach machines there; choose another network";
      Eventually.await("named", () -> service.status().problems().contains(line));
      assertThat(log.stream().filter(line::equals)).hasSize(1);
    }
  }

  @Test
  void anUnsupportedBackEndKeepsTheLastLease(Host host) throws Exception {
    connect(host);
    Path conf = folder.resolve("net-conf.json");
    Files.writeString(conf, "{\"Network\":\"10.50.0.0/16\",\"Backend\":{\"Type\":\"vxlan\"}}");
    try (AgentService service = start(host, Map.of())) {
      Eventually.await("ready", () -> service.status().isReady());
      String subnets = Files.readString(folder.resolve("subnet.env"));
      try (TestCluster cluster = TestCluster.embedded(folder.resolve("state"))) {
        ((KeyValueDatastore) cluster.datastore())
            .store()
            .commit(
                Transaction.put(
                    "/coreos.com/network/config",
                    "{\"Network\":\"10.50.0.0/16\",\"Backend\":{\"Type\":\"udp\"}}"));
      }
      Eventually.await(
          "named",
          () ->
              service.status().problems().stream()
                  .anyMatch(it -> it.contains("udp") && it.contains("vxlan")));
      assertThat(log.stream().filter(line -> line.contains("udp"))).hasSize(1);
      assertThat(folder.resolve("subnet.env")).hasContent(subnets);
      assertThat(host.tryExec("ip", "link", "show", "flannel.1").succeeded()).isTrue();
    }
  }

  @Test
  void aBadVariableIsNamedAndNothingElseStops(Host host) {
    connect(host);
    try (AgentService service = start(host, Map.of("FLANNELD_IP_MASQ", "perhaps"))) {
      Eventually.await(
          "named",
          () ->
              service.status().problems().stream()
                  .anyMatch(it -> it.contains("FLANNELD_IP_MASQ must be true or false")));
      Eventually.await("in sync", () -> service.status().inSync());
      assertThat(service.status().isReady()).isFalse();
    }
  }
}
