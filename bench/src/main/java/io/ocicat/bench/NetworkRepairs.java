package io.ocicat.bench;

import io.ocicat.agent.Agent;
import io.ocicat.agent.AgentParts;
import io.ocicat.agent.BgpParts;
import io.ocicat.agent.bgp.BgpSettings;
import io.ocicat.agent.bgp.SecretSource;
import io.ocicat.agent.bird.BgpStatus;
import io.ocicat.agent.bird.BirdFiles;
import io.ocicat.agent.bird.BirdReconciler;
import io.ocicat.agent.bird.BirdSettings;
import io.ocicat.agent.config.AgentConfig;
import io.ocicat.agent.config.ConfigSources;
import io.ocicat.agent.config.EffectiveConfig;
import io.ocicat.agent.flannel.FlannelParts;
import io.ocicat.agent.flannel.FlannelService;
import io.ocicat.agent.flannel.FlannelSettings;
import io.ocicat.agent.status.ReadyEndpoints;
import io.ocicat.base.CrashPoints;
import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.Datastores;
import io.ocicat.datastore.config.DatastoreConfig;
import io.ocicat.datastore.json.StoredJson;
import io.ocicat.datastore.kv.KeyValue;
import io.ocicat.datastore.kv.KeyValueDatastore;
import io.ocicat.datastore.kv.KeyValueStore;
import io.ocicat.datastore.kv.RangeQuery;
import io.ocicat.datastore.kv.Transaction;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.ip.IpPrefix;
import io.ocicat.netlink.ns.NetNs;
import io.ocicat.testkit.Command;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * How long an agent takes to repair flannel's network and BGP by BIRD, on the embedded datastore.
 * How flanneld does is from running it; confd and runit were not measured.
 *
 * <p>Usage: {@code NetworkRepairs}
 */
final class NetworkRepairs {
  private static final String NODE = "node-0";
  private static final String SUBNETS = "/coreos.com/network/subnets/";

  private final Path folder;
  private final NetNs host;
  private final Datastore datastore;

  private NetworkRepairs(Path folder, NetNs host, Datastore datastore) {
    this.folder = folder;
    this.host = host;
    this.datastore = datastore;
  }

  public static void main(String[] args) throws IOException {
    for (boolean flannel : List.of(true, false)) {
      Path folder = Files.createTempDirectory(Path.of("/dev/shm"), "ocicat-repairs-");
      try (NetNs host = NetNs.create();
          Datastore datastore =
              Datastores.openOwn(new DatastoreConfig.Embedded(folder.resolve("state")))) {
        NetworkRepairs repairs = new NetworkRepairs(folder, host, datastore);
        repairs.prepare();
        if (flannel) {
          repairs.flannel();
        } else {
          repairs.bgp();
        }
      } finally {
        Command.of("rm", "-r", folder.toString()).run();
      }
    }
  }

  private static void log(String line) {
    System.err.println(line);
  }

  private void prepare() {
    host.visit(
        () ->
            Command.of(
                    "sh",
                    "-ec",
                    "ip link set lo up; ip link add eth0 type veth peer name up0;"
                        + " ip address add 172.16.0.1/24 dev eth0;"
                        + " ip link set up0 up; ip link set eth0 up")
                .run());
    create(Kind.NODE, NODE, "{\"bgp\":{\"ipv4Address\":\"172.16.0.1/24\",\"asNumber\":64512}}");
  }

  private void create(Kind kind, String name, String spec) {
    datastore.create(
        Resource.of(
            new ResourceKey.Named(kind, "", name),
            json -> json.setAll(StoredJson.parseObject(spec))));
  }

  private AgentParts parts(Map<String, String> environment) {
    AgentConfig config =
        EffectiveConfig.of(new ConfigSources(environment, "", List.of(), NODE, Map.of()), null)
            .config();
    return new AgentParts(
        datastore,
        host,
        NODE,
        (_, _) -> config,
        () -> {},
        _ -> {},
        new ReadyEndpoints(),
        CrashPoints.IGNORED,
        NetworkRepairs::log);
  }

  private void flannel() throws IOException {
    KeyValueStore store = ((KeyValueDatastore) datastore).store();
    Files.writeString(
        folder.resolve("net-conf.json"),
        "{\"Network\":\"10.50.0.0/16\",\"Backend\":{\"Type\":\"vxlan\"}}");
    store.commit(
        Transaction.put(
            SUBNETS + "10.50.200.0-24",
            "{\"PublicIP\":\"172.16.0.2\",\"PublicIPv6\":null,\"BackendType\":\"vxlan\",\"BackendData\":{\"VNI\":1,\"VtepMAC\":\"0a:11:22:33:44:55\"}}"));
    Path file = folder.resolve("run/subnet.env");
    Map<String, String> environment =
        Map.of(
            "FELIX_ENDPOINTSTATUSPATHPREFIX",
            folder.toString(),
            "FLANNELD_IFACE",
            "eth0",
            "FLANNELD_IP_MASQ",
            "true",
            "FLANNELD_SUBNET_FILE",
            file.toString(),
            "FLANNELD_NET_CONFIG_PATH",
            folder.resolve("net-conf.json").toString());
    try (Agent agent = Agent.start(parts(environment));
        FlannelService service =
            FlannelService.start(
                new FlannelParts(
                    FlannelSettings.of(environment),
                    datastore,
                    host,
                    NODE,
                    agent::follow,
                    NetworkRepairs::log))) {
      String state =
          "ip route show dev flannel.1; ip neighbour show dev flannel.1 nud permanent;"
              + " bridge fdb show dev flannel.1 | grep dst; ip link show flannel.1 | grep ether";
      RepairTimes first = new RepairTimes(host, "true");
      AgentScene.await(
          () -> service.isReady() && first.shell(state).contains("dst 172.16.0.2"), "flannel");
      RepairTimes times = new RepairTimes(host, state);
      times.measure("flannel: a route", "ip route del 10.50.200.0/24", state, "");
      times.measure(
          "flannel: a neighbour", "ip neighbour del 10.50.200.0 dev flannel.1", state, "");
      times.measure(
          "flannel: a forwarding entry",
          "bridge fdb del 0a:11:22:33:44:55 dev flannel.1 dst 172.16.0.2 self",
          state,
          "");
      times.measure(
          "flannel: the device deleted",
          "ip link del flannel.1",
          state,
          "flanneld: another MAC, no route");
      String table = "nft list table ip flannel-ipv4";
      times.measure(
          "flannel: its rules",
          "nft delete table ip flannel-ipv4",
          table,
          "flanneld: never, with iptables ≤ 5 s");
      times.measure(
          "flannel: subnet.env", "rm " + file, "cat " + file, "flanneld: at its next start");
      String key = ownKey(store);
      times.measure(
          "flannel: its lease deleted",
          () -> store.commit(Transaction.delete(key)),
          () -> store.get(key).map(KeyValue::value).orElse(""),
          "flanneld: ends");
    }
  }

  private static String ownKey(KeyValueStore store) {
    return store.range(RangeQuery.all(SUBNETS)).entries().stream()
        .filter(entry -> entry.value().contains("172.16.0.1\""))
        .findFirst()
        .orElseThrow()
        .key();
  }

  private void bgp() throws IOException {
    create(Kind.IP_POOL, "pool", "{\"cidr\":\"10.9.0.0/16\",\"ipipMode\":\"Never\"}");
    datastore.create(AgentScene.block(IpPrefix.parse("10.9.1.0/26"), NODE));
    Path run = Files.createDirectories(folder.resolve("run"));
    Map<String, String> environment =
        Map.of(
            "FELIX_ENDPOINTSTATUSPATHPREFIX",
            folder.toString(),
            "CALICO_NETWORKING_BACKEND",
            "bird");
    BgpSettings settings = BgpSettings.of(environment);
    try (BirdReconciler bird =
            BirdReconciler.start(host, run, BirdSettings.standard(), NetworkRepairs::log);
        Agent _ =
            Agent.start(
                parts(environment)
                    .with(
                        new BgpParts(
                            settings,
                            SecretSource.of(datastore.cluster(), settings),
                            Duration.ofSeconds(5),
                            bird::want)))) {
      AgentScene.await(() -> bird.status().filter(BgpStatus::isRunning).isPresent(), "BIRD");
      BirdFiles files = new BirdFiles(run);
      String asked = "birdc -r -s %s show protocols | awk '{print $1}'".formatted(files.socket());
      String route = "ip route show proto bird";
      RepairTimes first = new RepairTimes(host, "true");
      AgentScene.await(() -> first.shell(route).contains("10.9.1.0/26"), "BIRD's route");
      RepairTimes times = new RepairTimes(host, asked + ";" + route);
      times.measure("BIRD killed", "kill -KILL $(cat %s/bird.pid)".formatted(run), asked, "");
      times.measure("BIRD's socket", "rm " + files.socket(), asked, "");
      String text = "cat " + files.configuration();
      times.measure("BIRD's configuration removed", "rm " + files.configuration(), text, "");
      times.measure(
          "BIRD's configuration changed", "echo '#' >>" + files.configuration(), text, "");
      times.measure("BIRD's route, by its scan", "ip route del 10.9.1.0/26", route, "confd: ≤ 2 s");
      bird.stop();
      AgentScene.await(() -> bird.status().isEmpty(), "BIRD's end");
    }
  }
}
