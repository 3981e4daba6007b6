package io.ocicat.plugins.httpipam;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.base.json.Json;
import io.ocicat.plugins.Attaching;
import io.ocicat.plugins.Side;
import io.ocicat.testkit.Eventually;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Addresses from a server, on real interfaces. */
@Hosts
class HttpIpamNetworkTest {
  @TempDir private Path directory;

  /** A network with the Go bridge plugin and our ipam plugin. */
  @Test
  void theOriginalsBridgeGetsItsAddressesFromOurServer(Host node, Host pod1, Host pod2)
      throws IOException {
    try (ServerProcess server = ServerProcess.on(node, directory)) {
      Path bin = Files.createDirectory(directory.resolve("bin"));
      IpamExecutable.install(bin);
      String config =
          """
          {"cniVersion": "0.2.0", "name": "mynet", "type": "bridge", "bridge": "br0", "isGateway": false,
           "ipMasq": false, "hairpinMode": true,
           "ipam": {"type": "ipam", "token": "%s", "serverURL": "%s"}}
          """
              .formatted(RunningServer.TOKEN, server.url());
      Attaching first =
          Attaching.of("bridge", node, pod1, config)
              .by(Side.GO)
              .with("CNI_PATH", bin + ":/usr/lib/cni");
      Attaching second =
          Attaching.of("bridge", node, pod2, config)
              .by(Side.GO)
              .with("CNI_PATH", bin + ":/usr/lib/cni");

      assertThat(first.add().ok().at("/ip4/ip").asString()).isEqualTo("10.9.0.5/24");
      assertThat(second.add().ok().at("/ip4/ip").asString()).isEqualTo("10.9.0.6/24");
      pod1.exec("ping", "-c1", "-W2", "10.9.0.6");

      assertThat(server.allocated()).containsExactly("10.9.0.5/24", "10.9.0.6/24");
      first.del().ok();
      second.withNetns("").del().ok();
      assertThat(server.allocated()).isEmpty();
    }
  }

  /** The plugin runs in this JVM, whose own network has no such server. */
  @Test
  void theServerIsLookedForWhereThePluginWasCalled(Host node, Host pod) throws IOException {
    try (ServerProcess server = ServerProcess.on(node, directory)) {
      ObjectNode config = server.config();
      Attaching eth0 = Attaching.of("ipam", node, pod, Json.compact(config));
      assertThat(eth0.add().ok().at("/ips/0/address").asString()).isEqualTo("10.9.0.5/24");
      eth0.status().ok();
      eth0.del().ok();
      Eventually.await("every thread to leave " + node, () -> threadsIn(node) == 0);

      ((ObjectNode) config.get("ipam")).put("retries", 0);
      assertThat(Calling.of(config, "c1").error("ADD").msg()).contains("connection refused");
    }
  }

  /** A pool thread that stayed there would serve others from that namespace. */
  private static long threadsIn(Host node) {
    try (Stream<Path> threads = Files.list(Path.of("/proc/self/task"))) {
      String inside = "net:[%s]".formatted(Files.getAttribute(node.path(), "unix:ino"));
      return threads.filter(thread -> inside.equals(namespace(thread))).count();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String namespace(Path thread) {
    try {
      return Files.readSymbolicLink(thread.resolve("ns/net")).toString();
    } catch (IOException _) {
      return "none: it has ended";
    }
  }

  @Test
  void flannelCanLeaveTheAddressesToTheServer(Host node, Host pod1, Host pod2) throws IOException {
    try (ServerProcess server = ServerProcess.on(node, directory)) {
      Path bin = Files.createDirectory(directory.resolve("bin"));
      IpamExecutable.install(bin);
      Path env =
          Files.writeString(
              directory.resolve("subnet.env"),
              "FLANNEL_NETWORK=10.0.0.0/8\nFLANNEL_SUBNET=10.9.0.1/24\nFLANNEL_MTU=1450\nFLANNEL_IPMASQ=true\n");
      String config =
          """
          {"cniVersion": "1.0.0", "name": "mynet", "type": "flannel", "subnetFile": "%s", "dataDir": "%s",
           "ipam": {"type": "ipam", "token": "%s", "serverURL": "%s"}}
          """
              .formatted(env, directory.resolve("scratch"), RunningServer.TOKEN, server.url());
      Attaching first =
          Attaching.of("flannel", node, pod1, config).with("CNI_PATH", bin + ":/usr/lib/cni");
      Attaching second =
          Attaching.of("flannel", node, pod2, config).with("CNI_PATH", bin + ":/usr/lib/cni");

      JsonNode result = first.add().ok();
      assertThat(result.at("/ips/0/address").asString()).isEqualTo("10.9.0.5/24");
      assertThat(result.at("/routes/0/dst").asString())
          .as("flannel's, which prevails over the server's")
          .isEqualTo("10.0.0.0/8");
      second.add().ok();
      pod1.exec("ping", "-c1", "-W2", "10.9.0.6");

      assertThat(server.allocated()).containsExactly("10.9.0.5/24", "10.9.0.6/24");
      first.del().ok();
      second.del().ok();
      assertThat(directory.resolve("scratch")).isEmptyDirectory();
      assertThat(server.allocated()).isEmpty();
    }
  }
}
