package io.ocicat.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.testkit.Background;
import io.ocicat.testkit.Eventually;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import io.ocicat.testkit.Output;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * That a node goes back to the Go plugins while its containers run, and returns (reviews C3, K9).
 * They are Debian's, or those in {@code -Docicat.go-plugins=<directory>}: newer ones know the
 * nf_tables back ends that network teal asks for.
 */
@Hosts
class HandOverTest {
  private static final Duration SOON = Duration.ofSeconds(30);

  private static final String GO_PLUGINS = System.getProperty("ocicat.go-plugins", "/usr/lib/cni");

  /**
   * Flannel's plugin is not in Debian: what its DEL does is to give the delegate the file that ADD
   * left under the container's id, and to remove the file. Calico's is not either: it is one
   * executable for both of its plugins, which goes by its name.
   */
  private static final String PREPARATION =
      """
      cp GO_PLUGINS/* /opt/cni/bin/
      cat >/opt/cni/bin/flannel <<'END'
      #!/bin/sh
      case ${0##*/} in flannel|calico|calico-ipam) ;; *) echo "unknown name $0" >&2; exit 2;; esac
      case $CNI_COMMAND in
        VERSION) cat >/dev/null; echo '{"cniVersion":"1.0.0","supportedVersions":["1.0.0"]}';;
        DEL) file=/var/lib/cni/flannel/$CNI_CONTAINERID; /opt/cni/bin/bridge <$file && rm $file;;
      esac
      END
      cp /opt/cni/bin/flannel /opt/cni/bin/calico
      cp /opt/cni/bin/flannel /opt/cni/bin/calico-ipam
      chmod +x /opt/cni/bin/*
      mkdir -p /run/flannel
      printf '%s\\n' FLANNEL_NETWORK=10.79.0.0/16 FLANNEL_SUBNET=10.79.1.1/24 FLANNEL_MTU=1400 FLANNEL_IPMASQ=false \\
        >/run/flannel/subnet.env
      cat >/etc/cni/net.d/10-blue.conflist <<'END'
      {"cniVersion": "1.0.0", "name": "blue", "plugins": [
        {"type": "bridge", "bridge": "blue0", "isDefaultGateway": true, "ipMasq": true, "ipam":
          {"type": "host-local", "ranges": [[{"subnet": "10.77.0.0/24"}], [{"subnet": "fd77::/64"}]]}},
        {"type": "portmap", "capabilities": {"portMappings": true}},
        {"type": "firewall"},
        {"type": "tuning", "mtu": 1400},
        {"type": "bandwidth", "ingressRate": 80000000, "ingressBurst": 80000000,
         "egressRate": 80000000, "egressBurst": 80000000}]}
      END
      cat >/etc/cni/net.d/20-red.conflist <<'END'
      {"cniVersion": "1.0.0", "name": "red", "plugins": [
        {"type": "ptp", "ipMasq": true, "ipam": {"type": "host-local", "subnet": "10.78.0.0/24",
          "routes": [{"dst": "0.0.0.0/0"}]}}]}
      END
      cat >/etc/cni/net.d/30-green.conflist <<'END'
      {"cniVersion": "1.0.0", "name": "green", "plugins": [
        {"type": "flannel", "delegate": {"isDefaultGateway": true, "ipMasq": true}}]}
      END
      cat >/etc/cni/net.d/35-teal.conflist <<'END'
      {"cniVersion": "1.0.0", "name": "teal", "plugins": [
        {"type": "bridge", "bridge": "teal0", "isDefaultGateway": true, "ipMasq": true, "ipMasqBackend": "nftables",
         "ipam": {"type": "host-local", "ranges": [[{"subnet": "10.76.0.0/24"}], [{"subnet": "fd76::/64"}]]}},
        {"type": "portmap", "backend": "nftables", "capabilities": {"portMappings": true}},
        {"type": "firewall"},
        {"type": "tuning", "mtu": 1400},
        {"type": "bandwidth", "ingressRate": 80000000, "ingressBurst": 80000000,
         "egressRate": 80000000, "egressBurst": 80000000}]}
      END
      for name in c0 c1 c2 c3 c4 c5 c6; do ip netns add $name; done
      """
          .replace("GO_PLUGINS", GO_PLUGINS);

  private Node node;

  @BeforeEach
  void aMachine(Host host, Host world, @TempDir Path directory) throws IOException {
    host.exec("sysctl", "-qw", "net.ipv6.conf.default.accept_dad=0");
    host.connect(world, "192.0.2.1/24", "192.0.2.2/24");
    node = Node.start(host, directory);
    node.bash(PREPARATION);
  }

  @AfterEach
  void end() {
    node.close();
  }

  private String net(String verb, String network, String container) {
    return node.bash(
        "ocicat net %1$s %2$s /run/netns/%3$s --container-id %3$s"
            .formatted(verb, network, container));
  }

  private void add(String network, String container, int port) {
    node.bash(
        """
        export CAP_ARGS='{"portMappings": [{"hostPort": %1$d, "containerPort": 80, "protocol": "tcp"}]}'
        ocicat net add %2$s /run/netns/%3$s --container-id %3$s
        """
            .formatted(port, network, container));
  }

  private static void assertThatTheWorldReaches(Host world, int port) {
    Eventually.passes(
        SOON,
        () ->
            assertThat(
                    world
                        .tryExec(
                            "timeout", "5", "busybox", "wget", "-qO-", "http://192.0.2.1:" + port)
                        .stdout())
                .isEqualTo("hello\n"));
  }

  @Test
  void whatRunsGoesOnAndEitherSideRemovesIt(Host world) {
    add("blue", "c0", 8079);
    net("del", "blue", "c0");
    net("add", "red", "c0");
    net("del", "red", "c0");
    add("teal", "c0", 8079);
    net("del", "teal", "c0");
    node.bash("ip link add cni0 type bridge");
    String before = node.footprint();

    node.bash("ocicat install --replace");
    try (Background daemon = node.startDaemon()) {
      add("blue", "c1", 8080);
      net("add", "red", "c2");
      net("add", "green", "c3");
      add("blue", "c4", 8081);
      add("teal", "c5", 8082);
      add("teal", "c6", 8083);
      assertThat(daemon.stderr()).contains("verb=ADD");
    }
    node.bash("mkdir /run/www; echo hello >/run/www/index.html");
    for (String name : new String[] {"c1", "c4", "c5", "c6"}) {
      node.bash("ip netns exec %s busybox httpd -p 80 -h /run/www".formatted(name));
    }
    assertThatTheWorldReaches(world, 8080);
    String attached = node.footprint();

    assertThat(node.bash("ocicat uninstall --hand-over --dry-run"))
        .contains(
            "handed over  c1/eth0, host ports, masquerading", "put back  /opt/cni/bin/bridge");
    assertThat(node.footprint()).isEqualTo(attached);
    assertThatItMayBeKilled();
    assertThatTheWorldReaches(world, 8080);
    node.bash("ocicat uninstall --hand-over");

    assertThatTheWorldReaches(world, 8080);
    assertThatTheWorldReaches(world, 8081);
    assertThatTheWorldReaches(world, 8082);
    node.bash("ip netns exec c5 busybox ping -c1 -W10 192.0.2.2");
    node.bash("ip netns exec c1 busybox ping -c1 -W10 192.0.2.2");
    node.bash("ip netns exec c2 busybox ping -c1 -W10 192.0.2.2");
    assertThat(node.footprint()).doesNotContain("ocicat", "/.");
    net("del", "blue", "c1");
    net("del", "red", "c2");
    net("del", "green", "c3");
    net("del", "teal", "c5");

    node.bash("ocicat install --replace");
    net("check", "blue", "c4");
    assertThat(node.attempt("ocicat doctor").stdout()).doesNotContain("c4");
    net("del", "blue", "c4");
    net("check", "teal", "c6");
    net("del", "teal", "c6");
    node.bash("ocicat uninstall");
    assertThat(node.footprint()).isEqualTo(before);
  }

  /** With a portmap that kills its caller when it is called to the end for the first time. */
  private void assertThatItMayBeKilled() {
    Output killed =
        node.attempt(
            """
            cp -r GO_PLUGINS /run/killing
            cp /opt/cni/bin/flannel.before-ocicat /run/killing/flannel
            readlink /proc/self/ns/net >/run/host
            cat >/run/killing/portmap <<'END'
            #!/bin/sh
            GO_PLUGINS/portmap
            [ $CNI_COMMAND = VERSION ] || [ $(readlink /proc/self/ns/net) != $(cat /run/host) ] || kill -9 $PPID
            END
            exec /opt/ocicat uninstall --hand-over --to /run/killing
            """
                .replace("GO_PLUGINS", GO_PLUGINS));
    assertThat(killed.exitCode()).isEqualTo(137);
  }

  @Test
  void whatCannotBeHandedOverIsNamedAndStays() {
    node.bash(
        """
        cat >/etc/cni/net.d/40-new.conflist <<'END'
        {"cniVersion": "1.1.0", "name": "new", "plugins": [
          {"type": "bridge", "bridge": "new0", "macspoofchk": true, "ipMasq": true,
           "ipam": {"type": "host-local", "ranges": [[{"subnet": "10.80.0.0/24"}], [{"subnet": "10.81.0.0/24"}]]}},
          {"type": "portmap", "capabilities": {"portMappings": true}, "conditionsV4": ["ip", "saddr", "!=", "192.0.2.9"]}]}
        END
        ocicat install --replace
        """);
    try (Background _ = node.startDaemon()) {
      node.typing("ocicat install --replace --calico --wait 60")
          .env("CALICO_IPV4POOL_CIDR", "10.65.0.0/16")
          .env("NODENAME", "node-a")
          .run();
      net("add", "k8s-pod-network", "c1");
      add("new", "c2", 8080);
      assertThat(node.attempt("ocicat uninstall --hand-over").stderr()).contains("ocicatd runs");
    }
    // The daemon may take a moment to end after the shell that ran it.
    node.bash("flock --timeout 10 /run/ocicat/ocicatd.lock true");
    String before = node.footprint();

    Output refused = node.attempt("ocicat uninstall --hand-over");

    assertThat(refused.exitCode()).isEqualTo(1);
    assertThat(refused.stderr())
        .hasLineCount(1)
        .contains(
            "nothing was changed",
            "network new has cniVersion 1.1.0, which /opt/cni/bin/bridge.before-ocicat does not"
                + " support",
            "host ports of new/c2/eth0: Go's portmap refuses them",
            "masquerading of new/c2/eth0: Go's DEL fails for two addresses of one family",
            "network new has macspoofchk",
            "network k8s-pod-network has natOutgoing")
        .doesNotContain("does not work");
    assertThat(node.footprint()).isEqualTo(before);
    node.bash("ocicat uninstall --hand-over --force");
    assertThat(node.footprint()).doesNotContain("ocicat");
  }
}
