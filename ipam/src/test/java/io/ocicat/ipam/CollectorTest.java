package io.ocicat.ipam;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.datastore.model.IpamHandle;
import io.ocicat.ip.IpAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What was left behind is released, and nothing else. */
class CollectorTest extends IpamFixture {
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

  private Collector collector() {
    return collector(Machines.UNKNOWN);
  }

  private Collector collector(Machines machines) {
    Sources system = Sources.ofSystem();
    return new Collector(
        newIpam(),
        datastore(),
        new Sources(system.clock(), nanos::get, system.random()),
        machines,
        GRACE);
  }

  private static LocalTruth alive(String... containers) {
    return new LocalTruth(A, Set.of(containers), Set.of(), Set.of());
  }

  private void later() {
    nanos.addAndGet(GRACE.toNanos() + 1);
  }

  @Test
  void aLeakIsReleasedWhenItWasSeenTwiceAndNotBefore() {
    IpAddress dead = take(A, 1, "net.dead").getFirst();
    take(A, 1, "net.alive");
    Collector collector = collector();

    Collected first = collector.sweep(alive("alive"));
    assertThat(first.released()).isEmpty();
    assertThat(first.suspects()).extracting(AddressInfo::address).containsExactly(dead);
    assertThat(collector.sweep(alive("alive")).released()).as("too soon").isEmpty();
    later();
    assertThat(collector.sweep(alive("alive")).released()).containsExactly(dead);
    assertThat(handles()).containsExactly("net.alive");
  }

  @Test
  void whoeverComesBackKeepsItsAddress() {
    take(A, 1, "net.c1");
    Collector collector = collector();
    collector.sweep(alive());
    later();
    collector.sweep(alive("c1"));
    later();

    assertThat(collector.sweep(alive()).released()).as("seen once since").isEmpty();
    assertThat(handles()).containsExactly("net.c1");
  }

  @Test
  void anAddressThatWasGivenAnewIsAnotherOne() {
    newIpam().assign(new AssignRequest(ip("10.0.0.1"), A, "net.c1", Map.of("node", A)));
    Collector collector = collector();
    collector.sweep(alive());
    newIpam().releaseByHandle("net.c1");
    newIpam().assign(new AssignRequest(ip("10.0.0.1"), A, "net.c1", Map.of("node", A)));
    later();

    assertThat(collector.sweep(alive()).released()).isEmpty();
  }

  @Test
  void anythingThatSpeaksForAnAddressKeepsIt() {
    IpAddress address = take(A, 1, "net.c1").getFirst();
    newIpam()
        .autoAssign(
            on(A, 1, 0)
                .withHandle("net.c2", Map.of("node", A, "namespace", "shop", "pod", "cart-0")));
    LocalTruth truth = new LocalTruth(A, Set.of(), Set.of("shop/cart-0"), Set.of(address));
    Collector collector = collector();

    assertThat(collector.sweep(truth).suspects()).isEmpty();
  }

  @Test
  void tunnelsMachinesAndOtherNodesAreNotTouched() {
    Conventions.Tunnel vxlan = Conventions.Tunnel.VXLAN;
    newIpam().autoAssign(on(A, 1, 0).withHandle(vxlan.handle(A), vxlan.attributes(A)));
    take(A, 1, "net.vmi.shop.vm");
    take(B, 1, "net.c3");
    newIpam().autoAssign(on(A, 1, 0));
    Collector collector = collector();
    collector.sweep(alive());
    later();

    assertThat(collector.sweep(alive()).released()).isEmpty();
  }

  @Test
  void oneLivingAddressKeepsAllOfItsHandle() {
    List<IpAddress> two = take(A, 2, "net.c1");
    LocalTruth truth = new LocalTruth(A, Set.of(), Set.of(), Set.of(two.getFirst()));
    Collector collector = collector();
    collector.sweep(truth);
    later();

    assertThat(collector.sweep(truth).released()).isEmpty();
  }

  @Test
  void nodesThatAreGoneLoseTheirAddressesAndBlocks() {
    IpAddress dead = take(A, 1, "net.c1").getFirst();
    take(B, 1, "net.c2");
    datastore().create(new IpamHandle("old", Map.of(cidr("10.0.0.0/26"), 1), false).toResource());
    ClusterTruth onlyB = new ClusterTruth(Set.of(B), Set.of());
    Collector collector = collector();

    Collected first = collector.sweep(onlyB);
    assertThat(first.repaired())
        .extracting(Finding::type)
        .containsExactly(Finding.Type.ORPHAN_HANDLE);
    assertThat(first.released()).isEmpty();
    later();
    Collected second = collector.sweep(onlyB);

    assertThat(second.released()).containsExactly(dead);
    assertThat(second.hosts()).containsExactly(BlockOwner.host(A));
    assertThat(blocksOf(A)).isEmpty();
    assertThat(blocksOf(B)).hasSize(1);
    assertThat(handles()).containsExactly("net.c2");
  }

  @Test
  void anAddressOfANodeThatIsGoneAndThatSomebodyUsesStays() {
    IpAddress used = take(A, 1, "net.c1").getFirst();
    ClusterTruth truth = new ClusterTruth(Set.of(B), Set.of(used));
    Collector collector = collector();
    collector.sweep(truth);
    later();

    Collected second = collector.sweep(truth);
    assertThat(second.released()).isEmpty();
    assertThat(second.hosts()).isEmpty();
    assertThat(second.problems()).isEmpty();
    assertThat(blocksOf(A)).hasSize(1);
  }

  private static final String MACHINE = Conventions.virtualMachineHandle("net", "shop", "vm");
  private static final Map<String, String> LAUNCHER =
      Map.of("node", A, "namespace", "shop", "pod", "virt-launcher-vm-x", "vmi-name", "vm");

  private IpAddress machineAddress() {
    AutoAssigned given = newIpam().autoAssign(on(A, 1, 0).withHandle(MACHINE, LAUNCHER));
    return addresses(given).getFirst();
  }

  private static Machines none() {
    return _ -> false;
  }

  @Test
  void aMachineThatNoPodRunsKeepsItsAddressWhileItMayExist() {
    machineAddress();
    new MachineAddresses(newIpam(), MACHINE).leave("shop", "virt-launcher-vm-x");
    ClusterTruth nobody = new ClusterTruth(Set.of(B), Set.of());
    Collector collector = collector();
    for (int look = 0; look < 3; look++) {
      assertThat(collector.sweep(alive()).suspects()).isEmpty();
      assertThat(collector.sweep(nobody).suspects()).isEmpty();
      later();
    }

    assertThat(handles()).containsExactly(MACHINE);
  }

  @Test
  void aMachineThatIsGoneLosesItsAddressAfterAWhile() {
    IpAddress address = machineAddress();
    Collector collector = collector(none());

    assertThat(collector.sweep(alive()).suspects()).hasSize(1);
    later();
    assertThat(collector.sweep(alive()).released()).containsExactly(address);
    assertThat(handles()).isEmpty();
  }

  @Test
  void theHostOfTheBlockLooksAfterWhatNoPodHas() {
    IpAddress address = machineAddress();
    new MachineAddresses(newIpam(), MACHINE).leave("shop", "virt-launcher-vm-x");
    Collector collector = collector(none());
    LocalTruth ofB = new LocalTruth(B, Set.of(), Set.of(), Set.of());

    assertThat(collector.sweep(ofB).suspects()).isEmpty();
    assertThat(collector.sweep(alive()).suspects()).hasSize(1);
    later();
    assertThat(collector.sweep(alive()).released()).containsExactly(address);
  }

  @Test
  void aMachinesPodKeepsItsAddressWhateverTheClusterSays() {
    IpAddress address = machineAddress();
    Map<String, String> target = Map.of("node", A, "namespace", "shop", "pod", "target");
    new MachineAddresses(newIpam(), MACHINE).note(address, target, MachineAddresses.Side.ALTERNATE);
    Collector collector = collector(none());

    assertThat(
            collector
                .sweep(new LocalTruth(A, Set.of(), Set.of("shop/target"), Set.of()))
                .suspects())
        .isEmpty();
    assertThat(collector.sweep(new LocalTruth(A, Set.of(), Set.of(), Set.of(address))).suspects())
        .isEmpty();
    assertThat(collector.sweep(new ClusterTruth(Set.of(A), Set.of())).suspects())
        .as("node A is there and looks itself")
        .isEmpty();
  }

  @Test
  void aMachineMadeAgainIsNotTheOneThatWasGone() {
    IpAddress address = machineAddress();
    MachineAddresses machine = new MachineAddresses(newIpam(), MACHINE);
    machine.leave("shop", "virt-launcher-vm-x");
    Collector collector = collector(none());
    collector.sweep(alive());
    machine.note(address, LAUNCHER, MachineAddresses.Side.OWNER);
    later();

    assertThat(collector.sweep(alive()).released()).as("seen once since").isEmpty();
  }
}
