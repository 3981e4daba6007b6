package io.ocicat.ipam;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.datastore.model.IpamHandle;
import io.ocicat.ip.IpAddress;
import io.ocicat.ipam.check.IpamFinding;
import io.ocicat.ipam.gc.ClusterLiveness;
import io.ocicat.ipam.gc.CollectionResult;
import io.ocicat.ipam.gc.GarbageCollector;
import io.ocicat.ipam.gc.NodeLiveness;
import io.ocicat.ipam.gc.VirtualMachines;
import io.ocicat.ipam.model.AddressInfo;
import io.ocicat.ipam.model.AssignRequest;
import io.ocicat.ipam.model.AutoAssignResult;
import io.ocicat.ipam.model.BlockOwner;
import io.ocicat.ipam.model.CalicoConventions;
import io.ocicat.ipam.model.ClockAndRandom;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Leaked addresses are released, and nothing else. */
class GarbageCollectorTest extends IpamFixture {
  private static final Duration GRACE = Duration.ofMinutes(5);

  private final AtomicLong nanos = new AtomicLong();

  @Override
  Engine open() {
    return new EmbeddedScenariosTest.InMemory(true);
  }

  @BeforeEach
  void fill() {
    pool("v4", "10.0.0.0/24", 26);
  }

  private GarbageCollector collector() {
    return collector(VirtualMachines.UNKNOWN);
  }

  private GarbageCollector collector(VirtualMachines machines) {
    ClockAndRandom system = ClockAndRandom.ofSystem();
    return new GarbageCollector(
        newIpam(),
        datastore(),
        new ClockAndRandom(system.clock(), nanos::get, system.random()),
        machines,
        GRACE);
  }

  private static NodeLiveness alive(String... containers) {
    return new NodeLiveness(A, Set.of(containers), Set.of(), Set.of());
  }

  private void later() {
    nanos.addAndGet(GRACE.toNanos() + 1);
  }

  @Test
  void aLeakIsReleasedWhenItWasSeenTwiceAndNotBefore() {
    IpAddress dead = take(A, 1, "net.dead").getFirst();
    take(A, 1, "net.alive");
    GarbageCollector collector = collector();

    CollectionResult first = collector.collect(alive("alive"));
    assertThat(first.released()).isEmpty();
    assertThat(first.suspects()).extracting(AddressInfo::address).containsExactly(dead);
    assertThat(collector.collect(alive("alive")).released()).as("too soon").isEmpty();
    later();
    assertThat(collector.collect(alive("alive")).released()).containsExactly(dead);
    assertThat(handles()).containsExactly("net.alive");
  }

  @Test
  void whoeverComesBackKeepsItsAddress() {
    take(A, 1, "net.c1");
    GarbageCollector collector = collector();
    collector.collect(alive());
    later();
    collector.collect(alive("c1"));
    later();

    assertThat(collector.collect(alive()).released()).as("seen once since").isEmpty();
    assertThat(handles()).containsExactly("net.c1");
  }

  @Test
  void aReassignedAddressIsAnotherOne() {
    newIpam().assign(new AssignRequest(ip("10.0.0.1"), A, "net.c1", Map.of("node", A)));
    GarbageCollector collector = collector();
    collector.collect(alive());
    newIpam().releaseByHandle("net.c1");
    newIpam().assign(new AssignRequest(ip("10.0.0.1"), A, "net.c1", Map.of("node", A)));
    later();

    assertThat(collector.collect(alive()).released()).isEmpty();
  }

  @Test
  void anythingThatSpeaksForAnAddressKeepsIt() {
    IpAddress address = take(A, 1, "net.c1").getFirst();
    newIpam()
        .autoAssign(
            on(A, 1, 0)
                .withHandle("net.c2", Map.of("node", A, "namespace", "shop", "pod", "cart-0")));
    NodeLiveness truth = new NodeLiveness(A, Set.of(), Set.of("shop/cart-0"), Set.of(address));
    GarbageCollector collector = collector();

    assertThat(collector.collect(truth).suspects()).isEmpty();
  }

  @Test
  void tunnelsMachinesAndOtherNodesAreNotTouched() {
    CalicoConventions.Tunnel vxlan = CalicoConventions.Tunnel.VXLAN;
    newIpam().autoAssign(on(A, 1, 0).withHandle(vxlan.handle(A), vxlan.attributes(A)));
    take(A, 1, "net.vmi.shop.vm");
    take(B, 1, "net.c3");
    newIpam().autoAssign(on(A, 1, 0));
    GarbageCollector collector = collector();
    collector.collect(alive());
    later();

    assertThat(collector.collect(alive()).released()).isEmpty();
  }

  @Test
  void oneLivingAddressKeepsAllOfItsHandle() {
    List<IpAddress> two = take(A, 2, "net.c1");
    NodeLiveness truth = new NodeLiveness(A, Set.of(), Set.of(), Set.of(two.getFirst()));
    GarbageCollector collector = collector();
    collector.collect(truth);
    later();

    assertThat(collector.collect(truth).released()).isEmpty();
  }

  @Test
  void nodesThatAreGoneLoseTheirAddressesAndBlocks() {
    IpAddress dead = take(A, 1, "net.c1").getFirst();
    take(B, 1, "net.c2");
    datastore().create(new IpamHandle("old", Map.of(cidr("10.0.0.0/26"), 1), false).toResource());
    ClusterLiveness onlyB = new ClusterLiveness(Set.of(B), Set.of());
    GarbageCollector collector = collector();

    CollectionResult first = collector.collect(onlyB);
    assertThat(first.repaired())
        .extracting(IpamFinding::type)
        .containsExactly(IpamFinding.Type.ORPHAN_HANDLE);
    assertThat(first.released()).isEmpty();
    later();
    CollectionResult second = collector.collect(onlyB);

    assertThat(second.released()).containsExactly(dead);
    assertThat(second.hosts()).containsExactly(BlockOwner.host(A));
    assertThat(blocksOf(A)).isEmpty();
    assertThat(blocksOf(B)).hasSize(1);
    assertThat(handles()).containsExactly("net.c2");
  }

  @Test
  void anAddressOfANodeThatIsGoneAndThatSomebodyUsesStays() {
    IpAddress used = take(A, 1, "net.c1").getFirst();
    ClusterLiveness truth = new ClusterLiveness(Set.of(B), Set.of(used));
    GarbageCollector collector = collector();
    collector.collect(truth);
    later();

    CollectionResult second = collector.collect(truth);
    assertThat(second.released()).isEmpty();
    assertThat(second.hosts()).isEmpty();
    assertThat(second.problems()).isEmpty();
    assertThat(blocksOf(A)).hasSize(1);
  }

  private static final String MACHINE = CalicoConventions.virtualMachineHandle("net", "shop", "vm");
  private static final Map<String, String> LAUNCHER =
      Map.of("node", A, "namespace", "shop", "pod", "virt-launcher-vm-x", "vmi-name", "vm");

  private IpAddress machineAddress() {
    AutoAssignResult given = newIpam().autoAssign(on(A, 1, 0).withHandle(MACHINE, LAUNCHER));
    return addresses(given).getFirst();
  }

  private static VirtualMachines none() {
    return _ -> false;
  }

  @Test
  void aMachineThatNoPodRunsKeepsItsAddressWhileItMayExist() {
    machineAddress();
    new VmAddressOwnership(newIpam(), MACHINE).removePod("shop", "virt-launcher-vm-x");
    ClusterLiveness nobody = new ClusterLiveness(Set.of(B), Set.of());
    GarbageCollector collector = collector();
    for (int look = 0; look < 3; look++) {
      assertThat(collector.collect(alive()).suspects()).isEmpty();
      assertThat(collector.collect(nobody).suspects()).isEmpty();
      later();
    }

    assertThat(handles()).containsExactly(MACHINE);
  }

  @Test
  void aMachineThatIsGoneLosesItsAddressAfterAWhile() {
    IpAddress address = machineAddress();
    GarbageCollector collector = collector(none());

    assertThat(collector.collect(alive()).suspects()).hasSize(1);
    later();
    assertThat(collector.collect(alive()).released()).containsExactly(address);
    assertThat(handles()).isEmpty();
  }

  @Test
  void theHostOfTheBlockLooksAfterWhatNoPodHas() {
    IpAddress address = machineAddress();
    new VmAddressOwnership(newIpam(), MACHINE).removePod("shop", "virt-launcher-vm-x");
    GarbageCollector collector = collector(none());
    NodeLiveness ofB = new NodeLiveness(B, Set.of(), Set.of(), Set.of());

    assertThat(collector.collect(ofB).suspects()).isEmpty();
    assertThat(collector.collect(alive()).suspects()).hasSize(1);
    later();
    assertThat(collector.collect(alive()).released()).containsExactly(address);
  }

  @Test
  void aMachinesPodKeepsItsAddressWhateverTheClusterSays() {
    IpAddress address = machineAddress();
    Map<String, String> target = Map.of("node", A, "namespace", "shop", "pod", "target");
    new VmAddressOwnership(newIpam(), MACHINE)
        .recordPod(address, target, VmAddressOwnership.Role.ALTERNATE);
    GarbageCollector collector = collector(none());

    assertThat(
            collector
                .collect(new NodeLiveness(A, Set.of(), Set.of("shop/target"), Set.of()))
                .suspects())
        .isEmpty();
    assertThat(
            collector.collect(new NodeLiveness(A, Set.of(), Set.of(), Set.of(address))).suspects())
        .isEmpty();
    assertThat(collector.collect(new ClusterLiveness(Set.of(A), Set.of())).suspects())
        .as("node A is there and looks itself")
        .isEmpty();
  }

  @Test
  void aRecreatedMachineIsNotTheOneThatWasGone() {
    IpAddress address = machineAddress();
    VmAddressOwnership machine = new VmAddressOwnership(newIpam(), MACHINE);
    machine.removePod("shop", "virt-launcher-vm-x");
    GarbageCollector collector = collector(none());
    collector.collect(alive());
    machine.recordPod(address, LAUNCHER, VmAddressOwnership.Role.OWNER);
    later();

    assertThat(collector.collect(alive()).released()).as("seen once since").isEmpty();
  }
}
