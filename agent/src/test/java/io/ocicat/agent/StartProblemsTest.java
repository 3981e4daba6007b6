package io.ocicat.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.agent.startup.NodeFiles;
import io.ocicat.base.CrashPoints;
import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.Datastores;
import io.ocicat.datastore.config.DatastoreConfig;
import io.ocicat.datastore.error.DatastoreException;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.ResourceQuery;
import io.ocicat.netlink.ns.NetNs;
import io.ocicat.testkit.Etcd;
import io.ocicat.testkit.Eventually;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import io.ocicat.testkit.Output;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * What keeps a node from starting is one line in the log and in the answer to a readiness probe, is
 * tried again, and is over when its cause is.
 */
@Hosts
class StartProblemsTest {
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final String ALARM = "maintenance/alarm";

  @RegisterExtension final Etcd etcd = new Etcd();
  @TempDir Path folder;
  private final List<String> log = new CopyOnWriteArrayList<>();

  private static void connect(Host host) {
    host.exec("ip", "link", "set", "lo", "up");
    host.exec("ip", "link", "add", "eth0", "type", "veth", "peer", "name", "up0");
    host.exec("ip", "address", "add", "192.168.7.1/24", "dev", "eth0");
    host.exec("ip", "link", "set", "up0", "up");
    host.exec("ip", "link", "set", "eth0", "up");
  }

  /** An agent on the host, whose datastore is the machine's etcd. */
  private AgentService start(Host host) {
    Map<String, String> environment =
        Map.of(
            "OCICAT_STATE_DIR", folder.resolve("unused").toString(),
            "NODENAME", "node1",
            "IP", "192.168.7.1/24",
            "CALICO_IPV4POOL_CIDR", "10.65.0.0/16",
            "CALICO_IPV4POOL_VXLAN", "Always",
            "FELIX_HEALTHENABLED", "true",
            "FELIX_ENDPOINTSTATUSPATHPREFIX", folder.toString());
    Datastore reachedFromHere =
        Datastores.openOwn(
            DatastoreConfig.ofEnvironment(
                Map.of("DATASTORE_TYPE", "etcdv3", "ETCD_ENDPOINTS", etcd.url())));
    // Connections start where the first one was tried.
    try {
      reachedFromHere.list(ResourceQuery.of(Kind.NODE));
    } catch (DatastoreException _) {
      // It does not run.
    }
    try (NetNs namespace = NetNs.open(host.path())) {
      return namespace.visit(
          () ->
              AgentService.start(
                  environment,
                  folder.resolve("run"),
                  log::add,
                  new NodeFiles(folder.resolve("nodename"), folder.resolve("mtu")),
                  unused -> {
                    unused.close();
                    return reachedFromHere;
                  },
                  CrashPoints.IGNORED));
    }
  }

  private static String readiness(Host host) {
    Output answer =
        host.tryExec("curl", "-s", "-w", "%{http_code}", "http://127.0.0.1:9099/readiness");
    return answer.stdout();
  }

  private static void awaitReadiness(Host host, String... parts) {
    Eventually.passes(LIMIT, () -> assertThat(readiness(host)).contains(parts));
  }

  private void assertLoggedOnce(String part) {
    assertThat(log.stream().filter(line -> line.contains(part))).as("%s", log).hasSize(1);
    assertThat(log).noneMatch(line -> line.contains("\n"));
  }

  @Test
  void anEtcdThatCannotBeReachedIsWaitedFor(Host host) {
    connect(host);
    etcd.kill();
    try (AgentService service = start(host)) {
      awaitReadiness(host, "503", "not ready", etcd.url().replace("http://", ""));
      assertThat(service.status().isReady()).isFalse();
      assertThat(folder.resolve("nodename")).doesNotExist();
      assertLoggedOnce(etcd.url().replace("http://", ""));

      etcd.start();
      awaitReadiness(host, "200");
      assertThat(service.status().problems()).isEmpty();
      assertThat(folder.resolve("nodename")).hasContent("node1");
    }
  }

  @Test
  void anEtcdThatCannotBeWrittenIsNamedAndTheLastStateStays(Host host) throws Exception {
    connect(host);
    alarm("ACTIVATE");
    try (AgentService service = start(host)) {
      awaitReadiness(host, "503", "not ready", "space");
      assertLoggedOnce("space");

      alarm("DEACTIVATE");
      awaitReadiness(host, "200");
      Eventually.passes(
          LIMIT, () -> assertThat(device(host)).contains("vxlan id 4096 local 192.168.7.1"));

      // Later it does not matter to what is in force, which is still repaired.
      alarm("ACTIVATE");
      host.exec("ip", "link", "del", "vxlan.calico");
      Eventually.passes(
          LIMIT, () -> assertThat(device(host)).contains("vxlan id 4096 local 192.168.7.1"));
      assertThat(service.status().isReady()).isTrue();
      assertThat(Files.readString(folder.resolve("nodename"))).isEqualTo("node1");
      alarm("DEACTIVATE");
    }
  }

  private void alarm(String action) {
    etcd.post(ALARM, "{\"action\":\"%s\",\"alarm\":\"NOSPACE\"}".formatted(action));
  }

  private static String device(Host host) {
    return host.tryExec("ip", "-d", "link", "show", "vxlan.calico").stdout();
  }

  @Test
  void aNodeWhoseInterfaceGoesKeepsItsStateUntilItIsBack(Host host) {
    connect(host);
    try (AgentService service = start(host)) {
      awaitReadiness(host, "200");
      Eventually.passes(LIMIT, () -> assertThat(device(host)).contains("dev eth0"));
      String address = host.exec("ip", "-4", "-brief", "address", "show", "vxlan.calico").stdout();

      host.exec("ip", "link", "del", "eth0");
      Eventually.passes(
          LIMIT,
          () ->
              assertThat(service.status().problems())
                  .as("%s", log)
                  .containsExactly(
                      "vxlan.calico cannot be made yet: no interface has the node's address"
                          + " 192.168.7.1"));
      assertThat(readiness(host)).contains("503", "no interface has the node's address");

      connect(host);
      Eventually.passes(
          LIMIT,
          () -> {
            assertThat(service.status().problems()).as("%s", log).isEmpty();
            assertThat(device(host)).contains("dev eth0");
          });
      assertThat(host.exec("ip", "-4", "-brief", "address", "show", "vxlan.calico").stdout())
          .isEqualTo(address);
      assertThat(log).noneMatch(line -> line.contains("Exception"));
      assertThat(log.stream().filter(line -> line.contains("MTU")))
          .as("pods of that moment have the same")
          .containsExactly("workloads get an MTU of 1450");
    }
  }
}
