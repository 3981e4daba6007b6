package io.ocicat.cli.ipam;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.ip.IpAddress;
import io.ocicat.ipam.Ipam;
import io.ocicat.ipam.VmAddressOwnership;
import io.ocicat.ipam.model.ClockAndRandom;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Addresses that virtual machines have while no pod runs them, or two do. */
class KeptAddressTest {
  private static final String HANDLE = "net.vmi.shop.vm";
  private static final String IP = "10.65.0.2";

  @TempDir Path directory;
  private IpamShell ipam = IpamShell.in(Path.of("/nonexistent"));

  @BeforeEach
  void fill() {
    ipam = IpamShell.in(directory.resolve("state"));
    ipam.apply(
        """
        {apiVersion: projectcalico.org/v3, kind: IPPool, metadata: {name: blue}, spec: {cidr: 10.65.0.0/24}}
        ---
        {apiVersion: projectcalico.org/v3, kind: Node, metadata: {name: node-1}}
        ---
        {apiVersion: projectcalico.org/v3, kind: Node, metadata: {name: node-2}}
        """);
    ipam.assign(IP, HANDLE, "node-1", pod("vm-a", "node-1"));
  }

  private static Map<String, String> pod(String name, String node) {
    return Map.of("namespace", "shop", "pod", name, "node", node, "vmi-name", "vm");
  }

  private void with(Consumer<VmAddressOwnership> work) {
    ipam.with(
        datastore -> {
          try (Ipam library = Ipam.forOneCall(datastore, ClockAndRandom.ofSystem())) {
            work.accept(new VmAddressOwnership(library, HANDLE));
          }
        });
  }

  @Test
  void whatAMachineKeepsHasNotLeaked() {
    with(machine -> machine.removePod("shop", "vm-a"));

    assertThat(ipam.run("check", "--show-all-ips").out())
        .contains(
            IP + " handle " + HANDLE + ": VirtualMachine(shop/vm)",
            "Check complete; found 0 problems.");
    assertThat(ipam.run("why", IP).out())
        .contains(
            "used by:        VirtualMachine(shop/vm)",
            "verdict:        kept for a virtual machine that no pod runs now");
    assertThat(ipam.run("release", "--ip=" + IP).err())
        .contains("is used by VirtualMachine(shop/vm)");
    for (String node : new String[] {"node-1", "node-2"}) {
      assertThat(ipam.gc(Set.of(), "--node=" + node, "--grace=0")).contains("Released 0 addresses");
    }
    ipam.shell().run("delete", "node", "node-1");
    assertThat(ipam.gc(Set.of(), "--node=node-2", "--grace=0")).contains("Released 0 addresses");
    assertThat(ipam.run("release", "--force", "--ip=" + IP).exitCode()).isZero();
  }

  @Test
  void twoPodsOfAMachineThatMovesDoNotQuarrel() {
    with(
        machine ->
            machine.recordPod(
                IpAddress.parse(IP), pod("vm-b", "node-2"), VmAddressOwnership.Role.ALTERNATE));
    ipam.endpoint("node-1", "vm-a", IP + "/32");
    ipam.endpoint("node-2", "vm-b", IP + "/32");

    assertThat(ipam.run("check").exitCode()).isZero();
    assertThat(ipam.run("why", IP).out())
        .contains(
            "pod:            shop/vm-a",
            "moves to:       shop/vm-b on node node-2",
            "verdict:        in use");
    ipam.endpoint("node-2", "thief", IP + "/32");
    assertThat(ipam.run("check").out()).contains("several owners: address " + IP);
  }
}
