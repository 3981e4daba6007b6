package io.ocicat.agent;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.base.Deadline;
import io.ocicat.base.json.Json;
import io.ocicat.cni.exec.PluginReply;
import io.ocicat.cni.plugin.Dispatcher;
import io.ocicat.cni.plugin.InProcessExec;
import io.ocicat.cni.plugin.Namespaces;
import io.ocicat.cni.plugin.PluginHost;
import io.ocicat.datastore.Datastores;
import io.ocicat.plugins.Plugins;
import io.ocicat.testkit.Eventually;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import io.ocicat.testkit.Lan;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.node.ObjectNode;

/**
 * Real pods: our flannel plugin with bridge and host-local, fed by the file that the agent writes.
 */
@Hosts
class FlannelPodTest {
  @TempDir Path folder;

  @Test
  void podsOfTwoNodesReachEachOtherAndTheOutsideIsMasqueraded(
      Host one, Host two, Host podOne, Host podTwo) throws Exception {
    Files.writeString(
        folder.resolve("net-conf.json"),
        "{\"Network\":\"10.50.0.0/16\",\"Backend\":{\"Type\":\"vxlan\"}}");
    try (Lan lan = Lan.open();
        TestCluster cluster = TestCluster.embedded(folder.resolve("datastore"))) {
      plug(lan, one, 1);
      plug(lan, two, 2);
      try (FlannelNode first = node(one, cluster, 1);
          FlannelNode second = node(two, cluster, 2)) {
        attach(first, podOne, 1);
        attach(second, podTwo, 2);
        String to = second.subnet(false).first().plus(2).toString();
        Eventually.await(
            "the other pod at full MTU",
            () ->
                podOne
                    .tryExec("ping", "-c1", "-W1", "-q", "-M", "do", "-s", "1422", to)
                    .succeeded());
        // Masqueraded, or the other node would have no route back.
        two.exec("ip", "address", "add", "203.0.113.9/32", "dev", "lo");
        one.exec("ip", "route", "add", "203.0.113.9", "via", "192.168.7.2");
        podOne.exec("ping", "-c1", "-W2", "-q", "203.0.113.9");
        assertThat(one.exec("conntrack", "-L", "-d", "203.0.113.9").stdout())
            .contains("dst=192.168.7.1");
      }
    }
  }

  private static void plug(Lan lan, Host host, int number) {
    String device = lan.plug(host, "192.168.7.%d/24".formatted(number));
    host.exec("ip", "link", "set", device, "down");
    host.exec("ip", "link", "set", device, "name", "eth0");
    host.exec("ip", "link", "set", "eth0", "up");
  }

  private FlannelNode node(Host host, TestCluster cluster, int number) throws Exception {
    Path own = Files.createDirectories(folder.resolve("node" + number));
    return new FlannelNode(
            host, cluster.datastore(), "node" + number, own, Map.of("FLANNELD_IP_MASQ", "true"))
        .awaitLease();
  }

  private void attach(FlannelNode node, Host pod, int number) throws Exception {
    Path bin = Files.createDirectories(folder.resolve("bin"));
    for (String plugin : new String[] {"bridge", "host-local"}) {
      Path file = bin.resolve(plugin);
      if (!Files.exists(file)) {
        Files.createFile(file);
        assertThat(file.toFile().setExecutable(true)).isTrue();
      }
    }
    ObjectNode config =
        Json.object()
            .put("cniVersion", "1.0.0")
            .put("name", "cbr0")
            .put("type", "flannel")
            .put("subnetFile", node.subnetFile().toString())
            .put("dataDir", folder.resolve("scratch" + number).toString());
    config.putObject("delegate").put("isDefaultGateway", true);
    config.putObject("ipam").put("dataDir", folder.resolve("leases" + number).toString());
    Namespaces namespaces = new Namespaces(node.host().path(), Map.of());
    try (Datastores datastores = new Datastores()) {
      InProcessExec exec =
          new InProcessExec(
              path -> Plugins.named(path.getFileName().toString(), datastores),
              invocation -> {
                throw new AssertionError("not in this process: " + invocation.executable());
              },
              namespaces);
      PluginReply reply =
          Dispatcher.dispatch(
              Plugins.named("flannel", datastores).orElseThrow(),
              new PluginHost(namespaces, exec, Deadline.in(Duration.ofSeconds(60)), _ -> {}),
              Map.of(
                  "CNI_COMMAND", "ADD",
                  "CNI_CONTAINERID", pod.name(),
                  "CNI_NETNS", pod.path().toString(),
                  "CNI_IFNAME", "eth0",
                  "CNI_PATH", bin.toString()),
              Json.compact(config).getBytes(UTF_8));
      assertThat(reply.exitCode()).as(new String(reply.stdout(), UTF_8)).isZero();
    }
  }
}
