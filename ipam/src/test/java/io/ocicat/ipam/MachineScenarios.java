package io.ocicat.ipam;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.ip.IpAddress;
import io.ocicat.ipam.VmAddressOwnership.Role;
import io.ocicat.ipam.model.AddressInfo;
import io.ocicat.ipam.model.CalicoConventions;
import io.ocicat.ipam.model.IpamException;
import io.ocicat.ipam.model.OwnerAttributeChange;
import io.ocicat.ipam.model.ReleaseRequest;
import io.ocicat.ipam.model.ReleaseResult;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Scenarios of the owners of a virtual machine's addresses, for every engine. */
abstract class MachineScenarios extends IpamFixture {
  private static final String HANDLE =
      CalicoConventions.virtualMachineHandle("multus-1", "shop", "vm");
  private static final Map<String, String> SOURCE = pod("source", A);
  private static final Map<String, String> TARGET = pod("target", B);

  private static Map<String, String> pod(String name, String node) {
    return Map.of("namespace", "shop", "pod", name, "node", node, "vmi-name", "vm");
  }

  private List<IpAddress> addresses = List.of();

  @BeforeEach
  void fill() {
    pool("v4", "10.0.0.0/24", 26);
    pool("v6", "fd00::/112", 122);
    addresses = addresses(newIpam().autoAssign(on(A, 1, 1).withHandle(HANDLE, SOURCE)));
  }

  private VmAddressOwnership machine() {
    return new VmAddressOwnership(newIpam(), HANDLE);
  }

  private List<AddressInfo> infos() {
    return addresses.stream().map(newIpam()::info).toList();
  }

  private void isHad(Map<String, String> owner, Map<String, String> alternate) {
    assertThat(infos())
        .hasSize(2)
        .allSatisfy(
            info -> {
              assertThat(info.owner()).isEqualTo(owner);
              assertThat(info.alternate()).isEqualTo(alternate);
            });
  }

  private void move() {
    for (IpAddress address : addresses) {
      assertThat(machine().recordPod(address, TARGET, Role.ALTERNATE)).isEqualTo(Role.ALTERNATE);
    }
  }

  @Test
  void itsAddressesAreToldIpv4First() {
    assertThat(machine().all()).isEqualTo(addresses);
    assertThat(new VmAddressOwnership(ipam(), "net.vmi.shop.none").all()).isEmpty();
  }

  @Test
  void whoIsNotedAlreadyStaysWhatItIs() {
    move();
    List<AddressInfo> before = infos();

    for (IpAddress address : addresses) {
      assertThat(machine().recordPod(address, SOURCE, Role.ALTERNATE)).isEqualTo(Role.OWNER);
      assertThat(machine().recordPod(address, TARGET, Role.OWNER)).isEqualTo(Role.ALTERNATE);
    }

    assertThat(infos()).isEqualTo(before);
  }

  @Test
  void thePodItMovesToIsPromotedAndAgainIsTheSame() {
    move();

    machine().promote("shop", "target");
    isHad(TARGET, SOURCE);
    machine().promote("shop", "target");
    isHad(TARGET, SOURCE);
    machine().removePod("shop", "source");
    isHad(TARGET, Map.of());
  }

  @Test
  void whenTheSourceHasLeftThereIsNothingToSwap() {
    move();
    machine().removePod("shop", "source");
    isHad(TARGET, Map.of());

    machine().promote("shop", "target");

    isHad(TARGET, Map.of());
  }

  @Test
  void onlyThePodItWasToMoveToIsPromoted() {
    assertThat(refusal(() -> machine().promote("shop", "target")))
        .as("it was not to move")
        .isEqualTo(IpamException.Reason.BAD_OWNER);
    move();
    assertThat(refusal(() -> machine().promote("shop", "other")))
        .isEqualTo(IpamException.Reason.BAD_OWNER);
    assertThat(refusal(() -> machine().promote("kiosk", "target")))
        .isEqualTo(IpamException.Reason.BAD_OWNER);
    assertThat(
            refusal(
                () -> new VmAddressOwnership(ipam(), "no.vmi.shop.vm").promote("shop", "target")))
        .isEqualTo(IpamException.Reason.NO_SUCH_HANDLE);
    isHad(SOURCE, TARGET);
  }

  @Test
  void whatWasPromotedByHalfIsPromotedWhole() {
    move();
    newIpam()
        .changeOwner(
            addresses.getFirst(), HANDLE, new OwnerAttributeChange(TARGET, SOURCE, null, null));

    machine().promote("shop", "target");

    isHad(TARGET, SOURCE);
  }

  @Test
  void whoLeavesIsNotedNowhereAndOthersStay() {
    move();
    machine().removePod("shop", "other");
    isHad(SOURCE, TARGET);
    machine().removePod("shop", "target");
    isHad(SOURCE, Map.of());
    assertThat(machine().unowned()).isEmpty();
    machine().removePod("shop", "source");
    isHad(Map.of(), Map.of());
    assertThat(machine().unowned()).extracting(ReleaseRequest::address).isEqualTo(addresses);
    new VmAddressOwnership(ipam(), "net.vmi.shop.none").removePod("shop", "source");
  }

  @Test
  void whoIsNotedTwiceLeavesBothPlaces() {
    for (IpAddress address : addresses) {
      newIpam().changeOwner(address, HANDLE, new OwnerAttributeChange(null, SOURCE, null, null));
    }

    machine().removePod("shop", "source");

    isHad(Map.of(), Map.of());
  }

  @Test
  void anUnidentifiedAlternateIsNotAnObstacle() {
    for (IpAddress address : addresses) {
      newIpam()
          .changeOwner(
              address, HANDLE, new OwnerAttributeChange(null, Map.of("node", B), null, null));
    }

    machine().removePod("shop", "source");

    isHad(Map.of("node", B), Map.of());
  }

  @Test
  void whoGetsAnAddressAnewKeepsItFromThoseWhoTookItForDead() {
    machine().removePod("shop", "source");
    List<ReleaseRequest> dead = machine().unowned();
    addresses.forEach(address -> machine().recordPod(address, TARGET, Role.OWNER));

    ReleaseResult released = newIpam().release(dead);

    assertThat(released.released()).isEmpty();
    isHad(TARGET, Map.of());
  }

  @Test
  void allMayLeaveAndBePromotedAtTheSameTime() throws InterruptedException {
    move();
    List<Thread> threads = new ArrayList<>();
    for (Runnable work :
        List.<Runnable>of(
            () -> machine().removePod("shop", "source"),
            () -> machine().removePod("shop", "target"),
            () -> refusal(() -> machine().promote("shop", "target")))) {
      threads.add(Thread.ofVirtual().start(work));
    }
    for (Thread thread : threads) {
      thread.join();
    }

    isHad(Map.of(), Map.of());
  }
}
