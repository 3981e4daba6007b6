package io.ocicat.daemon.address;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.base.BootId;
import io.ocicat.daemon.state.DaemonState;
import io.ocicat.daemon.state.StateFolders;
import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.config.DatastoreConfig;
import io.ocicat.datastore.embedded.EmbeddedStore;
import io.ocicat.datastore.error.UnavailableException;
import io.ocicat.datastore.model.IpamBlock;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.datastore.resource.ResourceQuery;
import io.ocicat.ip.IpAddress;
import io.ocicat.ipam.Ipam;
import io.ocicat.ipam.gc.VirtualMachines;
import io.ocicat.ipam.model.AssignRequest;
import io.ocicat.ipam.model.ClockAndRandom;
import io.ocicat.plugins.resident.NodeIpam;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.node.ObjectNode;

@Hosts
class AddressGcTest {
  private static final String NODE = "node-1";

  @TempDir Path directory;

  private final List<String> notes = new ArrayList<>();
  private final Set<IpAddress> kernel = new HashSet<>();
  private long now = 1;

  @SuppressWarnings("NullAway.Init") // by fill
  private Datastore datastore;

  @SuppressWarnings("NullAway.Init") // by fill
  private Ipam ipam;

  @BeforeEach
  void fill() {
    datastore = EmbeddedStore.openDatastore(directory.resolve("datastore"));
    datastore.create(
        Resource.of(new ResourceKey.Named(Kind.NODE, "", NODE), ObjectNode::removeAll));
    datastore.create(
        Resource.of(
            new ResourceKey.Named(Kind.IP_POOL, "", "blue"),
            spec -> spec.put("cidr", "10.65.0.0/26")));
    ipam = Ipam.forOneCall(datastore, ClockAndRandom.ofSystem());
    assign("10.65.0.1", "net.dead", Map.of("node", NODE));
    assign("10.65.0.2", "net.alive", Map.of("node", NODE));
    assign("10.65.0.3", "net.elsewhere", Map.of("node", "node-2"));
    assign("10.65.0.4", "vxlan-tunnel-addr-node-1", Map.of("node", NODE, "type", "vxlan"));
    kernel.add(IpAddress.parse("10.65.0.2"));
  }

  @AfterEach
  void close() {
    ipam.close();
    datastore.close();
  }

  private void assign(String address, String handle, Map<String, String> attributes) {
    ipam.assign(new AssignRequest(IpAddress.parse(address), NODE, handle, attributes));
  }

  private AddressGc gc(Supplier<Set<IpAddress>> ofKernel) {
    return gc(ofKernel, VirtualMachines.UNKNOWN);
  }

  private AddressGc gc(Supplier<Set<IpAddress>> ofKernel, VirtualMachines machines) {
    NodeIpam served =
        new NodeIpam(new DatastoreConfig.Embedded(directory), datastore, ipam, NODE, machines);
    StateFolders folders = new StateFolders(directory.resolve("run"), directory.resolve("lib"));
    return new AddressGc(
        new DaemonState(folders, BootId.current()),
        () -> List.of(served),
        ofKernel,
        new ClockAndRandom(Clock.systemUTC(), () -> now, () -> 7));
  }

  private void minutes(int count) {
    now += Duration.ofMinutes(count).toNanos();
  }

  private List<String> handles() {
    return datastore.list(ResourceQuery.of(Kind.IPAM_BLOCK)).items().stream()
        .flatMap(block -> Ipam.inUse(IpamBlock.of(block)).stream())
        .map(info -> String.valueOf(info.handle()))
        .toList();
  }

  @Test
  void whatLooksDeadTwiceIsReleasedAndNothingElse() {
    AddressGc gc = gc(() -> kernel);
    gc.run(notes::add);
    minutes(1);
    gc.run(notes::add);
    assertThat(handles()).hasSize(4);
    assertThat(notes).isEmpty();

    minutes(2);
    gc.run(notes::add);

    assertThat(handles())
        .containsExactlyInAnyOrder("net.alive", "net.elsewhere", "vxlan-tunnel-addr-node-1");
    assertThat(notes).singleElement().asString().contains("released [10.65.0.1] of node node-1");
  }

  @Test
  void aMachineKeepsItsAddressUntilItIsCertainlyGone() {
    Set<String> there = new HashSet<>(Set.of("shop/vm"));
    assign("10.65.0.5", "net.vmi.shop.vm", Map.of());
    assign("10.65.0.6", "net.vmi.shop.gone", Map.of());
    AddressGc gc =
        gc(() -> kernel, info -> VirtualMachines.namedBy(info).stream().anyMatch(there::contains));
    for (int i = 0; i < 3; i++) {
      gc.run(notes::add);
      minutes(6);
    }
    assertThat(handles()).contains("net.vmi.shop.vm").doesNotContain("net.vmi.shop.gone");

    there.clear();
    gc.run(notes::add);
    minutes(4);
    gc.run(notes::add);
    assertThat(handles()).as("it may come back").contains("net.vmi.shop.vm");
    minutes(2);
    gc.run(notes::add);

    assertThat(handles()).doesNotContain("net.vmi.shop.vm");
  }

  @Test
  void whatComesToLifeInBetweenStays() {
    AddressGc gc = gc(() -> kernel);
    gc.run(notes::add);
    minutes(1);
    kernel.add(IpAddress.parse("10.65.0.1"));
    gc.run(notes::add);
    minutes(1);
    kernel.remove(IpAddress.parse("10.65.0.1"));
    gc.run(notes::add);
    minutes(1);
    gc.run(notes::add);

    assertThat(handles()).contains("net.dead");
  }

  @Test
  void anAddressThatWasAllocatedAgainStays() {
    AddressGc gc = gc(() -> kernel);
    gc.run(notes::add);
    minutes(3);
    ipam.releaseByHandle("net.dead");
    assign("10.65.0.1", "net.dead", Map.of("node", NODE));

    gc.run(notes::add);

    assertThat(handles()).contains("net.dead");
  }

  @Test
  void whoCannotLookAtTheKernelReleasesNothing() {
    AddressGc gc =
        gc(
            () -> {
              throw new UnavailableException("namespaces cannot be entered", null);
            });
    for (int i = 0; i < 4; i++) {
      gc.run(notes::add);
      minutes(3);
    }

    assertThat(handles()).hasSize(4);
    assertThat(notes).singleElement().asString().contains("could not be checked");
  }

  @Test
  void addressesOfNamespacesAreReadFromTheKernel(Host one, Host two) {
    one.exec("ip", "link", "set", "lo", "up");
    one.exec("ip", "address", "add", "10.65.0.9/32", "dev", "lo");
    two.exec("ip", "address", "add", "fd00:65::9/128", "dev", "lo");

    assertThat(
            KernelAddresses.in(
                List.of(one.path(), two.path(), one.path(), Path.of("/run/netns/there-is-none"))))
        .contains(IpAddress.parse("10.65.0.9"), IpAddress.parse("fd00:65::9"));
  }
}
