package io.ocicat.agent.startup;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.Datastores;
import io.ocicat.datastore.config.DatastoreConfig;
import io.ocicat.datastore.error.UnavailableException;
import io.ocicat.datastore.model.IpPool;
import io.ocicat.datastore.passing.PassingDatastore;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.datastore.resource.ResourceQuery;
import io.ocicat.ip.IpAddress;
import io.ocicat.ipam.Ipam;
import io.ocicat.ipam.model.AssignRequest;
import io.ocicat.ipam.model.CalicoConventions.Tunnel;
import io.ocicat.ipam.model.ClockAndRandom;
import io.ocicat.ipam.model.IpamException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TunnelAddressesTest {
  private static final String NODE = "node-a";
  private static final String HANDLE = "vxlan-tunnel-addr-node-a";

  @TempDir Path folder;
  private @Nullable Datastore opened;
  private @Nullable Ipam ipams;

  @BeforeEach
  void open() {
    Datastore datastore = Datastores.openOwn(new DatastoreConfig.Embedded(folder));
    opened = datastore;
    ipams = Ipam.forOneCall(datastore, ClockAndRandom.ofSystem());
    datastore.create(Resource.of(new ResourceKey.Named(Kind.NODE, "", NODE), _ -> {}));
    pool("blue", "10.65.0.0/29");
  }

  @AfterEach
  void close() {
    ipam().close();
    datastore().close();
  }

  private Datastore datastore() {
    return requireNonNull(opened);
  }

  private Ipam ipam() {
    return requireNonNull(ipams);
  }

  private void pool(String name, String cidr) {
    datastore()
        .create(
            Resource.of(
                new ResourceKey.Named(Kind.IP_POOL, "", name),
                spec -> spec.put("cidr", cidr).put("blockSize", 29).put("vxlanMode", "Always")));
  }

  private void change(String pool, String member, String value) {
    Resource read = datastore().get(ResourceKey.of(Kind.IP_POOL, pool));
    datastore().update(read.edit(document -> document.withObject("/spec").put(member, value)));
  }

  private List<IpPool> pools() {
    return datastore().list(ResourceQuery.of(Kind.IP_POOL)).items().stream()
        .map(IpPool::of)
        .toList();
  }

  private IpAddress ensure() {
    TunnelAddresses.Allocation allocation =
        new TunnelAddresses(datastore(), ipam(), NODE).ensure(pools());
    assertThat(allocation.problems()).isEmpty();
    IpAddress address = requireNonNull(allocation.addresses().get(Tunnel.VXLAN));
    assertThat(inNode()).isEqualTo(address.toString());
    return address;
  }

  private String inNode() {
    return node().text("spec", "ipv4VXLANTunnelAddr").orElse("");
  }

  private Resource node() {
    return datastore().get(ResourceKey.of(Kind.NODE, NODE));
  }

  private void setInNode(String address) {
    datastore()
        .update(
            node()
                .edit(
                    document -> document.withObject("/spec").put("ipv4VXLANTunnelAddr", address)));
  }

  @Test
  void anAddressThatTheBlockConfirmsIsKept() {
    IpAddress first = ensure();
    String revision = node().revision();

    assertThat(ensure()).isEqualTo(first);
    assertThat(node().revision()).isEqualTo(revision);
  }

  @Test
  void anAddressThatAPodHasIsReplacedAndStaysThePods() {
    ipam()
        .assign(
            new AssignRequest(IpAddress.parse("10.65.0.3"), NODE, "net1.c1", Map.of("pod", "web")));
    setInNode("10.65.0.3");

    IpAddress own = ensure();

    assertThat(own).isNotEqualTo(IpAddress.parse("10.65.0.3"));
    assertThat(ipam().info(IpAddress.parse("10.65.0.3")).handle()).isEqualTo("net1.c1");
  }

  @Test
  void anAddressThatNobodyHasIsReplaced() {
    IpAddress before = ensure();
    setInNode("10.65.0.6");

    IpAddress after = ensure();

    assertThat(ipam().addressesOf(HANDLE)).containsExactly(after);
    assertThat(after).isNotEqualTo(IpAddress.parse("10.65.0.6"));
    assertThat(before).isNotNull();
  }

  @Test
  void anAddressOfAnotherNodesTunnelIsReplaced() {
    ipam()
        .assign(
            new AssignRequest(
                IpAddress.parse("10.65.0.2"),
                NODE,
                "vxlan-tunnel-addr-node-b",
                Tunnel.VXLAN.attributes("node-b")));
    setInNode("10.65.0.2");

    assertThat(ensure()).isNotEqualTo(IpAddress.parse("10.65.0.2"));
    assertThat(ipam().info(IpAddress.parse("10.65.0.2")).handle())
        .isEqualTo("vxlan-tunnel-addr-node-b");
  }

  @Test
  void anAddressWithoutAnOwnerIsClaimed() {
    ipam().assign(new AssignRequest(IpAddress.parse("10.65.0.4"), NODE, null, Map.of()));
    setInNode("10.65.0.4");

    assertThat(ensure()).isEqualTo(IpAddress.parse("10.65.0.4"));
    assertThat(ipam().info(IpAddress.parse("10.65.0.4")).owner())
        .isEqualTo(Tunnel.VXLAN.attributes(NODE));
  }

  @Test
  void anAddressOutsideThePoolsIsReplacedAndReleased() {
    IpAddress before = ensure();
    pool("red", "10.66.0.0/29");
    change("blue", "nodeSelector", "has(never)");

    IpAddress after = ensure();

    assertThat(after.toString()).startsWith("10.66.0.");
    assertThat(ipam().addressesOf(HANDLE)).containsExactly(after);
    assertThatThrownBy(() -> ipam().info(before)).isInstanceOf(IpamException.class);
  }

  @Test
  void aRunThatWasKilledBeforeItsWriteLeavesNothing() {
    ipam()
        .assign(
            new AssignRequest(
                IpAddress.parse("10.65.0.5"), NODE, HANDLE, Tunnel.VXLAN.attributes(NODE)));

    IpAddress address = ensure();

    assertThat(ipam().addressesOf(HANDLE)).containsExactly(address);
  }

  @Test
  void aFailedWriteReleasesWhatWasAssigned() {
    Datastore failing =
        new PassingDatastore(datastore()) {
          @Override
          public Resource update(Resource resource) {
            if (resource.kind() == Kind.NODE) {
              throw new UnavailableException("the datastore is gone", null);
            }
            return super.update(resource);
          }
        };

    assertThatThrownBy(() -> new TunnelAddresses(failing, ipam(), NODE).ensure(pools()))
        .isInstanceOf(UnavailableException.class);

    assertThatThrownBy(() -> ipam().addressesOf(HANDLE)).isInstanceOf(IpamException.class);
  }

  @Test
  void aFullPoolIsNamedAndTheOtherTunnelsGetTheirAddress() {
    for (int i = 0; i < 8; i++) {
      ipam()
          .assign(new AssignRequest(IpAddress.parse("10.65.0." + i), NODE, "net1.c" + i, Map.of()));
    }
    datastore()
        .create(
            Resource.of(
                new ResourceKey.Named(Kind.IP_POOL, "", "green"),
                spec -> spec.put("cidr", "10.67.0.0/24").put("ipipMode", "Always")));

    TunnelAddresses.Allocation allocation =
        new TunnelAddresses(datastore(), ipam(), NODE).ensure(pools());

    assertThat(allocation.addresses()).containsOnlyKeys(Tunnel.IPIP);
    assertThat(allocation.problems())
        .singleElement()
        .asString()
        .startsWith("node node-a has no address for its VXLAN tunnel: ");
    assertThat(inNode()).isEmpty();
    assertThat(node().text("spec", "bgp", "ipv4IPIPTunnelAddr")).isPresent();
  }
}
