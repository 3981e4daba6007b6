package io.ocicat.bench;

import java.nio.file.Path;
import java.util.List;

/** How long an agent takes to repair what somebody else breaks. */
final class AgentRepairs {
  private static final String TIMER = "31 s, by a timer of 90 s";
  private static final String DEVICE = "5.5–8.5 s, by a timer of 10 s";

  /**
   * One way to break a node.
   *
   * @param probe what a shell prints when it is whole
   * @param felix how long Felix took
   */
  private record Sabotage(String what, String command, String probe, String felix) {}

  private static final String ROUTES = "ip route | grep -c vxlan.calico";

  private final AgentScene scene;
  private final RepairTimes times;

  AgentRepairs(AgentScene scene) {
    this.scene = scene;
    // A device that is up again has its routes a little later.
    this.times = new RepairTimes(scene.host(), ROUTES);
  }

  void run() {
    String route = AgentScene.blockOf(1, 0).toString();
    String tunnel = AgentScene.blockOf(1, 0).address().toString();
    String pod = AgentScene.address(1);
    String device = "ip -d link show vxlan.calico | grep -o 'mtu [0-9]*\\|link/ether [^ ]*\\|,UP'";
    String table = "nft list table inet ocicat_agent";
    String entry = "bridge fdb show dev vxlan.calico | grep 'dst 172.16.0.2 '";
    for (Sabotage sabotage :
        List.of(
            new Sabotage(
                "a block's route", "ip route del " + route, "ip route show " + route, TIMER),
            new Sabotage(
                "a pod's route",
                "ip route del %s metric 1024".formatted(pod),
                "ip route show " + pod,
                TIMER),
            new Sabotage(
                "a neighbour entry",
                "ip neighbour del %s dev vxlan.calico".formatted(tunnel),
                "ip neighbour show %s nud permanent".formatted(tunnel),
                TIMER),
            new Sabotage(
                "a forwarding entry",
                "bridge fdb del $(%s | cut -d' ' -f1) dev vxlan.calico dst 172.16.0.2 self"
                    .formatted(entry),
                entry,
                TIMER),
            new Sabotage(
                "the device's MAC address",
                "ip link set vxlan.calico address 02:00:00:00:00:08",
                device,
                DEVICE),
            new Sabotage("the device's MTU", "ip link set vxlan.calico mtu 1400", device, DEVICE),
            new Sabotage("the device down", "ip link set vxlan.calico down", device, DEVICE),
            new Sabotage(
                "the device's address",
                "ip address flush dev vxlan.calico",
                "ip -4 -brief address show vxlan.calico",
                DEVICE),
            new Sabotage(
                "the device deleted, with all routes", "ip link del vxlan.calico", ROUTES, DEVICE),
            new Sabotage(
                "a chain flushed",
                "nft flush chain inet ocicat_agent postrouting",
                table,
                "116 s, by a timer of 180 s"),
            new Sabotage("flush ruleset", "nft flush ruleset", table, "158 s, open meanwhile"),
            new Sabotage(
                "a sysctl",
                "sysctl -qw net.ipv4.conf.cali1.proxy_arp=0",
                "sysctl -n net.ipv4.conf.cali1.proxy_arp",
                "never, within 250 s"),
            new Sabotage(
                "a status file",
                "rm '%s'".formatted(statusFile()),
                "ls '%s'".formatted(statusFile()),
                "5.5 s"))) {
      times.measure(
          sabotage.what(), sabotage.command(), sabotage.probe(), "Felix " + sabotage.felix());
    }
  }

  private Path statusFile() {
    return scene.folder().resolve("endpoint-status/k8s default%2Fpod-1 eth0");
  }
}
