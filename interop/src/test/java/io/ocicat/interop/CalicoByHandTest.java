package io.ocicat.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.testkit.Background;
import io.ocicat.testkit.Command;
import io.ocicat.testkit.Eventually;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import io.ocicat.testkit.Output;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

/**
 * The experiment with which people learn what Calico's plugin does: a namespace, variables set by
 * hand, one plugin of the installed network by {@code jq}, the executable. Every line is as they
 * type it, on a machine where {@code ocicat install --calico} was the only thing done; {@code
 * ocicat} stands where they say {@code calicoctl}.
 */
@Hosts
class CalicoByHandTest {
  private static final Duration LIMIT = Duration.ofMinutes(1);

  /** A separate machine as far as files go, too: where runtimes and Calico have theirs. */
  private static final String MACHINE =
      """
      mkdir -p "$1"
      mount -t tmpfs tmpfs "$1"
      cp -a /etc "$1/etc"
      mount --bind "$1/etc" /etc
      rm -rf /etc/cni
      for folder in /opt /run /var/lib /var/log; do mount -t tmpfs tmpfs $folder; done
      ip link set lo up
      echo ready
      exec sleep 1000
      """;

  private static final String PREPARATION =
      """
      export CNI_CONTAINERID=test-container-123
      export CNI_NETNS=/var/run/netns/test-ns
      export CNI_IFNAME=eth0
      export CNI_PATH=/opt/cni/bin
      CONFIG=$(cat /etc/cni/net.d/10-calico.conflist | jq '.plugins[0]')
      """;

  private static Path launcher;
  private static Background machine;
  private static Background daemon;

  @BeforeAll
  static void install(Host host, @TempDir Path directory) throws IOException {
    launcher = PluginDirectory.withShims(directory).resolve("bin/ocicat");
    machine =
        host.command(
                "unshare",
                "--mount",
                "--propagation",
                "private",
                "sh",
                "-ec",
                MACHINE,
                "machine",
                directory.resolve("files").toString())
            .start();
    Eventually.await("the machine is there", LIMIT, () -> machine.stdout().contains("ready"));
    daemon = onMachine(launcher + " daemon").start();
    onMachine(launcher + " install --calico --wait 60")
        .env("CALICO_IPV4POOL_CIDR", "10.65.0.0/16")
        .env("NODENAME", "node-a")
        .run();
  }

  @AfterAll
  static void end() {
    daemon.close();
    machine.close();
  }

  private static Command onMachine(String script) {
    return Command.of(
            "nsenter", "-t", String.valueOf(machine.pid()), "-m", "-n", "bash", "-ec", script)
        .limit(LIMIT);
  }

  private static Output bash(String script) {
    return onMachine(script).run();
  }

  /** The plugin, called as by a runtime; without a daemon in its own JVM. */
  private static Output call(String verb, boolean served, String args) {
    return bash(
        """
        export CNI_COMMAND=%s
        %s%s%s
        echo $CONFIG | /opt/cni/bin/calico
        """
            .formatted(
                verb,
                PREPARATION,
                served ? "" : "export OCICAT_RUN_DIR=/run/nobody\n",
                args.isEmpty() ? "" : "export CNI_ARGS='%s'".formatted(args)));
  }

  @ParameterizedTest
  @CsvSource({
    "true, '', calitest-contai, default, test-container-123",
    "false, '', calitest-contai, default, test-container-123",
    "true, 'K8S_POD_NAMESPACE=test;K8S_POD_NAME=web-0', cali7b07e5871ca, test, web-0",
    "false, 'K8S_POD_NAMESPACE=test;K8S_POD_NAME=web-0', cali7b07e5871ca, test, web-0"
  })
  void everyLineDoesWhatItSays(
      boolean served, String args, String veth, String namespace, String workload) {
    bash("ip netns add test-ns");

    JsonNode result = call("ADD", served, args).json();

    String address = result.at("/ips/0/address").asString();
    assertThat(address).startsWith("10.65.").endsWith("/32");
    assertThat(result.at("/interfaces/0/name").asString()).isEqualTo(veth);
    assertThat(bash("ip netns exec test-ns ip addr").stdout()).contains("inet " + address);
    assertThat(bash("ip netns exec test-ns ip route").stdout())
        .contains("default via 169.254.1.1 dev eth0", "169.254.1.1 dev eth0 scope link");
    assertThat(bash("ip link show type veth").stdout())
        .contains(veth + "@", "link/ether ee:ee:ee:ee:ee:ee");
    assertThat(bash("ip route").stdout())
        .contains(address.replace("/32", "") + " dev " + veth + " scope link");
    assertThat(bash(launcher + " get wep -A").stdout().lines())
        .anySatisfy(
            line -> assertThat(line).contains(namespace, workload, "node-a", address, veth));
    assertThat(bash("cat /var/log/calico/cni/cni.log").stdout())
        .contains("ADD done ContainerID=test-container-123");

    assertThat(call("DEL", served, args).stdout()).isEmpty();

    assertThat(bash("ip netns exec test-ns ip addr").stdout()).doesNotContain("eth0");
    assertThat(bash("ip link show type veth").stdout()).isEmpty();
    assertThat(bash("ip route").stdout()).doesNotContain("cali");
    assertThat(onMachine(launcher + " get wep -A").attempt().stdout()).doesNotContain(workload);
    assertThat(bash(launcher + " ipam show").stdout()).doesNotContain(address.replace("/32", ""));
    call("DEL", served, args);
    bash("ip netns delete test-ns");
  }

  @Test
  void whatIsInstalledIsWhereRuntimesLook() {
    assertThat(bash("stat -c '%a %n' /etc/cni/net.d/*").stdout())
        .isEqualTo("600 /etc/cni/net.d/10-calico.conflist\n");
    assertThat(bash("cat /var/lib/calico/nodename").stdout()).isEqualTo("node-a");
    assertThat(bash("jq '.plugins[0]' /etc/cni/net.d/10-calico.conflist | /opt/cni/bin/calico -t"))
        .extracting(Output::stdout)
        .isEqualTo("");
  }
}
