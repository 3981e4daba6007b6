package io.ocicat.ipam;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.ip.IpAddress;
import io.ocicat.ipam.model.AddressInfo;
import io.ocicat.ipam.model.AssignRequest;
import io.ocicat.ipam.model.AutoAssignResult;
import io.ocicat.ipam.model.BlockOwner;
import io.ocicat.ipam.model.IpamException;
import io.ocicat.ipam.model.OwnerAttributeChange;
import io.ocicat.ipam.model.PoolUse;
import io.ocicat.ipam.model.ReleaseRequest;
import io.ocicat.ipam.model.ReleaseResult;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Scenarios of finding and releasing addresses, for every engine. */
abstract class ReleaseScenarios extends IpamFixture {
  private static final IpAddress NOWHERE = ip("192.0.2.1");

  @BeforeEach
  void makePools() {
    pool("v4", "10.0.0.0/24", 28);
    pool("v6", "fd00::/120", 124);
  }

  @Test
  void aHandleIsReleasedWithAllItsAddresses() {
    List<IpAddress> many = take(A, 20, "h");

    assertThat(newIpam().addressesOf("h")).containsExactlyInAnyOrderElementsOf(many);
    assertThat(ipam().releaseByHandle("h")).containsExactlyInAnyOrderElementsOf(many);

    assertThat(handles()).isEmpty();
    assertThat(refusal(() -> ipam().releaseByHandle("h")))
        .isEqualTo(IpamException.Reason.NO_SUCH_HANDLE);
    assertThat(refusal(() -> ipam().addressesOf("h")))
        .isEqualTo(IpamException.Reason.NO_SUCH_HANDLE);
    assertThat(blocksOf(A)).as("blocks stay with their host").hasSize(2);
  }

  @Test
  void ofAHandleWithSeveralAddressesSomeMayBeReleased() {
    List<IpAddress> three = take(A, 3, "h");

    ReleaseResult released =
        ipam().release(List.of(ReleaseRequest.of(three.get(1)), ReleaseRequest.of(three.get(1))));

    assertThat(released.orThrow().released()).containsExactly(three.get(1));
    assertThat(newIpam().addressesOf("h")).containsExactlyInAnyOrder(three.get(0), three.get(2));
  }

  @Test
  void aReleaseMayBeBoundToHandleAndSequenceNumber() {
    IpAddress address = take(A, 1, "h").getFirst();
    AddressInfo info = ipam().info(address);
    ReleaseRequest wrongHandle = new ReleaseRequest(address, "other", info.sequenceNumber());
    ReleaseRequest wrongNumber = new ReleaseRequest(address, "h", info.sequenceNumber() + 1);

    assertThat(refusal(() -> ipam().release(List.of(wrongHandle)).orThrow()))
        .isEqualTo(IpamException.Reason.BAD_HANDLE);
    assertThat(refusal(() -> ipam().release(List.of(wrongNumber)).orThrow()))
        .isEqualTo(IpamException.Reason.BAD_SEQUENCE_NUMBER);
    assertThat(ipam().info(address)).isEqualTo(info);
    assertThat(newIpam().release(List.of(ReleaseRequest.of(info))).released())
        .containsExactly(address);
  }

  @Test
  void aReassignedAddressIsNotReleasedWithTheOldSequenceNumber() {
    ipam().assign(new AssignRequest(ip("10.0.0.5"), A, "h", Map.of()));
    AddressInfo before = ipam().info(ip("10.0.0.5"));
    ipam().releaseByHandle("h");
    ipam().assign(new AssignRequest(ip("10.0.0.5"), A, "h", Map.of()));

    assertThat(refusal(() -> newIpam().release(List.of(ReleaseRequest.of(before))).orThrow()))
        .isEqualTo(IpamException.Reason.BAD_SEQUENCE_NUMBER);

    ipam().releaseByHandle("h");
    ipam().releaseHostAffinities(BlockOwner.host(A), true);
    assertThat(blocks()).isEmpty();
    ipam().assign(new AssignRequest(ip("10.0.0.5"), A, "h", Map.of()));
    assertThat(refusal(() -> newIpam().release(List.of(ReleaseRequest.of(before))).orThrow()))
        .as("even of a block that was deleted and made again")
        .isEqualTo(IpamException.Reason.BAD_SEQUENCE_NUMBER);
  }

  @Test
  void whatNobodyHasIsToldApart() {
    IpAddress address = take(A, 1, "h").getFirst();

    ReleaseResult released =
        ipam()
            .release(
                List.of(
                    ReleaseRequest.of(NOWHERE),
                    ReleaseRequest.of(ip("10.0.0.250")),
                    ReleaseRequest.of(address),
                    ReleaseRequest.of(ip("fd00::1"))));

    assertThat(released.released()).containsExactly(address);
    assertThat(released.notAssigned())
        .containsExactlyInAnyOrder(NOWHERE, ip("10.0.0.250"), ip("fd00::1"));
  }

  @Test
  void oneWrongOneKeepsItsBlockAndNoOther() {
    List<IpAddress> many = take(A, 17, "h");
    List<ReleaseRequest> releases = new ArrayList<>();
    many.forEach(address -> releases.add(new ReleaseRequest(address, "h", null)));
    releases.set(0, new ReleaseRequest(many.getFirst(), "wrong", null));

    ReleaseResult released = ipam().release(releases);

    assertThat(released.refused()).hasSize(1);
    assertThat(released.released()).hasSizeBetween(1, 16);
    assertThat(newIpam().addressesOf("h")).hasSize(17 - released.released().size());
  }

  @Test
  void addressesOfDisabledAndDeletedPoolsAreFoundAndReleased() {
    List<IpAddress> two = take(A, 2, "h");
    changePool("v4", spec -> spec.put("disabled", true));
    assertThat(ipam().release(List.of(ReleaseRequest.of(two.get(0)))).released()).hasSize(1);
    datastore().delete(ResourceKey.of(Kind.IP_POOL, "v4"), null);
    assertThat(ipam().info(two.get(1)).handle()).isEqualTo("h");
    assertThat(newIpam().release(List.of(ReleaseRequest.of(two.get(1)))).released()).hasSize(1);
    ipam().releaseHostAffinities(BlockOwner.host(A), false);
    assertThat(blocks()).isEmpty();
  }

  @Test
  void attributesAreReturned() {
    Map<String, String> attributes = Map.of("node", A, "pod", "cart-0", "namespace", "shop");
    AutoAssignResult got = ipam().autoAssign(on(A, 0, 1).withHandle("h", attributes));

    AddressInfo info = ipam().info(addresses(got).getFirst());

    assertThat(info.owner()).isEqualTo(attributes);
    assertThat(info.node()).contains(A);
    assertThat(info.isBorrowed()).isFalse();
    assertThatThrownBy(() -> ipam().info(NOWHERE)).hasMessageContaining("in no pool");
    assertThatThrownBy(() -> ipam().info(ip("10.0.0.250"))).hasMessageContaining("does not exist");
    assertThatThrownBy(() -> ipam().info(addresses(got).getFirst().next()))
        .hasMessageContaining("free");
  }

  @Test
  void ownersOfAMovingMachineAreChangedOnlyAsExpected() {
    IpAddress address = take(A, 1, "vm").getFirst();
    Map<String, String> source = Map.of("namespace", "shop", "pod", "source");
    Map<String, String> target = Map.of("namespace", "shop", "pod", "target");
    OwnerAttributeChange.Expected isSource = new OwnerAttributeChange.Expected("shop", "source");

    ipam().changeOwner(address, "vm", new OwnerAttributeChange(source, null, null, null));
    ipam()
        .changeOwner(
            address,
            "vm",
            new OwnerAttributeChange(null, target, null, OwnerAttributeChange.Expected.NOBODY));
    assertThat(
            refusal(
                () ->
                    ipam()
                        .changeOwner(
                            address,
                            "vm",
                            new OwnerAttributeChange(
                                null, source, null, OwnerAttributeChange.Expected.NOBODY))))
        .isEqualTo(IpamException.Reason.BAD_OWNER);
    ipam().changeOwner(address, "vm", new OwnerAttributeChange(target, Map.of(), isSource, null));

    AddressInfo info = newIpam().info(address);
    assertThat(info.owner()).isEqualTo(target);
    assertThat(info.alternate()).isEmpty();
    assertThat(
            refusal(
                () ->
                    ipam()
                        .changeOwner(
                            address, "no", new OwnerAttributeChange(source, null, null, null))))
        .isEqualTo(IpamException.Reason.BAD_HANDLE);
  }

  @Test
  void anEmptyBlockIsReleasedWhenItsPoolNoLongerSelectsItsHost() {
    take(A, 1, "h");
    take(A, 1, "i");
    changePool("v4", spec -> spec.put("nodeSelector", "has(never)"));

    newIpam().releaseByHandle("h");
    assertThat(blocksOf(A)).hasSize(1);
    newIpam().releaseByHandle("i");
    assertThat(blocks()).isEmpty();
    assertThat(affinities()).isEmpty();
  }

  @Test
  void useIsCountedPerPoolAndBlock() {
    take(A, 3, "h");
    reserve("10.0.0.0/24");

    List<PoolUse> use = ipam().utilisation(List.of());

    assertThat(use).extracting(PoolUse::name).containsExactly("v4", "v6");
    assertThat(use.getFirst().inUse()).isEqualTo(3);
    assertThat(use.getFirst().blocks()).hasSize(1);
    assertThat(use.getFirst().blocks().getFirst().available()).isEqualTo(13);
    assertThat(use.getFirst().blocks().getFirst().reserved()).isEqualTo(13);
    assertThat(ipam().utilisation(List.of("v6"))).hasSize(1);
    assertThat(ipam().utilisation(List.of("10.0.0.0/24"))).hasSize(1);
  }
}
