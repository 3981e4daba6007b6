package io.ocicat.ipam;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.datastore.model.IpPool;
import io.ocicat.datastore.model.IpamConfig;
import io.ocicat.datastore.resource.IpVersion;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import io.ocicat.ipam.model.AddressInfo;
import io.ocicat.ipam.model.AssignRequest;
import io.ocicat.ipam.model.AssignmentResult;
import io.ocicat.ipam.model.AutoAssignRequest;
import io.ocicat.ipam.model.AutoAssignResult;
import io.ocicat.ipam.model.BlockOwner;
import io.ocicat.ipam.model.HostReserved;
import io.ocicat.ipam.model.IpamException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Scenarios of assigning addresses, for every engine. */
abstract class AssignScenarios extends IpamFixture {

  @Test
  void oneOfEachFamilyComesWithTheLengthOfItsBlock() {
    pool("v4", "10.0.0.0/24", 26);
    pool("v6", "fd80:24e2:f998:72d6::/120", 122);

    AutoAssignResult got = ipam().autoAssign(on(A, 1, 1).withHandle("net.c1", Map.of("node", A)));

    assertThat(got.addresses()).extracting(IpPrefix::length).containsExactly(26, 122);
    assertThat(ipam().addressesOf("net.c1")).containsExactlyInAnyOrderElementsOf(addresses(got));
    assertThat(affinities()).hasSize(2).allMatch(text -> text.endsWith("CONFIRMED"));
  }

  @Test
  void aWholePoolIsAssignedAndNotMore() {
    pool("v4", "10.0.0.0/26", 28);

    AutoAssignResult got = ipam().autoAssign(on(A, 65, 0).withHandle("net.c1", Map.of()));

    assertThat(got.isComplete()).isFalse();
    assertThat(got.addresses()).hasSize(64).doesNotHaveDuplicates();
    AssignmentResult v4 = got.ofV4().orElseThrow();
    assertThat(v4.why()).contains(AssignmentResult.Shortage.POOLS_EXHAUSTED);
    assertThat(v4.explanation()).contains("64 out of 65").contains("v4 (10.0.0.0/26)");
    assertThat(refusal(() -> take(B, 1, "net.c2"))).isNull();
  }

  @Test
  void hostsGetBlocksOfTheirOwnAndThenBorrow() {
    pool("v4", "10.0.0.0/25", 26);
    IpAddress first = take(A, 1, "a1").getFirst();
    IpAddress other = take(B, 1, "b1").getFirst();

    List<IpAddress> more = take(A, 64, "a2");

    IpPrefix own = blocksOf(A).getFirst();
    IpPrefix others = blocksOf(B).getFirst();
    assertThat(own.contains(first)).isTrue();
    assertThat(others.contains(other)).isTrue();
    assertThat(more).filteredOn(own::contains).hasSize(63);
    assertThat(more).filteredOn(others::contains).hasSize(1);
    AddressInfo borrowed =
        ipam().info(more.stream().filter(others::contains).findFirst().orElseThrow());
    assertThat(borrowed.isBorrowed()).isTrue();
  }

  @Test
  void withStrictAffinityNobodyBorrows() {
    pool("v4", "10.0.0.0/25", 26);
    strict(true);
    take(B, 1, "b1");

    AutoAssignResult got = ipam().autoAssign(on(A, 65, 0).withHandle("a1", Map.of()));

    assertThat(got.addresses()).hasSize(64);
    assertThat(got.ofV4().flatMap(AssignmentResult::why))
        .contains(AssignmentResult.Shortage.NO_FREE_BLOCK);
    strict(false);
    assertThat(take(A, 1, "a2")).hasSize(1);
  }

  @Test
  void theLimitOfBlocksIsTheSmallerOne() {
    pool("v4", "10.0.0.0/24", 28);
    ipam().configure(new IpamConfig(true, true, 2, true));

    AutoAssignResult got = ipam().autoAssign(on(A, 100, 0).withHandle("a1", Map.of()));
    AutoAssignResult own =
        ipam().autoAssign(on(B, 100, 0).withMaxBlocks(1).withHandle("b1", Map.of()));

    assertThat(got.addresses()).hasSize(32);
    assertThat(got.ofV4().flatMap(AssignmentResult::why))
        .contains(AssignmentResult.Shortage.BLOCK_LIMIT);
    assertThat(own.addresses()).hasSize(16);
    assertThat(own.ofV4().orElseThrow().explanation()).contains("may own 1");
  }

  @Test
  void withoutAutomaticBlocksNoneIsClaimed() {
    pool("v4", "10.0.0.0/24", 28);
    ipam().configure(new IpamConfig(true, false, 0, true));

    AutoAssignResult got = ipam().autoAssign(on(A, 1, 0));

    assertThat(got.ofV4().flatMap(AssignmentResult::why))
        .contains(AssignmentResult.Shortage.NO_NEW_BLOCKS);
    assertThat(blocks()).isEmpty();
  }

  @Test
  void freedAddressesWaitUntilAllOthersWereAssigned() {
    pool("v4", "10.0.0.0/30", 30);
    List<String> given = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      given.add(take(A, 1, "h").getFirst().toString());
      ipam().releaseByHandle("h");
    }
    assertThat(given)
        .containsExactly("10.0.0.0", "10.0.0.1", "10.0.0.2", "10.0.0.3", "10.0.0.0", "10.0.0.1");
  }

  @Test
  void longNamesOfHostsThatDifferLateAreDifferentHosts() {
    pool("v4", "10.0.0.0/24", 28);
    String long1 = "long-hostna".repeat(22) + "a";
    String long2 = "long-hostna".repeat(22) + "b";
    node(long1, Map.of());
    node(long2, Map.of());

    take(long1, 1, "a");
    take(long2, 1, "b");

    assertThat(blocksOf(long1)).hasSize(1);
    assertThat(blocksOf(long2)).hasSize(1).isNotEqualTo(blocksOf(long1));
  }

  @Test
  void requestedPoolsAreUsedInTheirOrder() {
    pool("one", "10.1.0.0/26", 28);
    pool("two", "10.2.0.0/26", 28);

    AutoAssignResult got =
        ipam()
            .autoAssign(
                on(A, 65, 0)
                    .withPools(List.of(cidr("10.2.0.0/26"), cidr("10.1.0.0/26")))
                    .withHandle("a", Map.of()));

    assertThat(addresses(got).subList(0, 64)).allMatch(cidr("10.2.0.0/26")::contains);
    assertThat(addresses(got).get(64)).matches(cidr("10.1.0.0/26")::contains);
  }

  @Test
  void poolsThatCannotServeAreNamed() {
    assertThatThrownBy(() -> ipam().autoAssign(on(A, 1, 0)))
        .isInstanceOf(IpamException.class)
        .hasMessageContaining("no enabled IPv4 pool");
    pool("v4", "10.0.0.0/24", spec -> spec.put("disabled", true));
    pool("v6", "fd00::/120", 122);
    assertThat(refusal(() -> ipam().autoAssign(on(A, 1, 0))))
        .isEqualTo(IpamException.Reason.NO_POOL);
    assertThat(
            refusal(() -> ipam().autoAssign(on(A, 1, 0).withPools(List.of(cidr("10.0.0.0/24"))))))
        .isEqualTo(IpamException.Reason.NO_POOL);
    pool("other", "10.9.0.0/24", 26);
    assertThatThrownBy(() -> ipam().autoAssign(on(A, 1, 0).withPools(List.of(cidr("10.0.0.0/24")))))
        .hasMessageContaining("10.0.0.0/24")
        .hasMessageContaining("disabled");
    assertThatThrownBy(() -> ipam().autoAssign(on(A, 1, 0).withPools(List.of(cidr("10.8.0.0/24")))))
        .hasMessageContaining("does not exist");
    assertThat(refusal(() -> on(A, 1, 0).withPools(List.of(cidr("fd00::/120")), List.of())))
        .isEqualTo(IpamException.Reason.POOL_NOT_USABLE);
    assertThat(refusal(() -> ipam().autoAssign(on("nobody", 1, 0))))
        .isEqualTo(IpamException.Reason.NO_SUCH_NODE);
    assertThat(blocks()).isEmpty();
  }

  @Test
  void whenOneFamilyHasNoPoolNothingStaysOfTheOther() {
    pool("v4", "10.0.0.0/24", 26);

    assertThat(refusal(() -> ipam().autoAssign(on(A, 1, 1).withHandle("a", Map.of()))))
        .isEqualTo(IpamException.Reason.NO_POOL);

    assertThat(handles()).isEmpty();
    assertThat(ipam().utilisation(List.of()).getFirst().inUse()).isZero();
  }

  @Test
  void usesChoosePools() {
    pool("tunnels", "10.1.0.0/26", spec -> spec.putArray("allowedUses").add("Tunnel"));
    assertThat(refusal(() -> ipam().autoAssign(on(A, 1, 0))))
        .isEqualTo(IpamException.Reason.NO_POOL);
    pool("workloads", "10.2.0.0/26", spec -> spec.putArray("allowedUses").add("Workload"));

    assertThat(addresses(ipam().autoAssign(on(A, 1, 0)))).allMatch(cidr("10.2.0.0/26")::contains);
    assertThat(addresses(ipam().autoAssign(on(A, 1, 0).withUse(IpPool.Use.TUNNEL))))
        .allMatch(cidr("10.1.0.0/26")::contains);
  }

  @Test
  void selectorsOfNodesAndNamespacesChoosePools() {
    node(A, Map.of("rack", "r1"));
    pool("r1", "10.1.0.0/26", spec -> spec.put("nodeSelector", "rack == 'r1'"));
    pool(
        "shop",
        "10.2.0.0/26",
        spec ->
            spec.put("nodeSelector", "!has(rack)")
                .put("namespaceSelector", "team == 'shop'")
                .putArray("allowedUses")
                .add("Workload"));

    assertThat(take(A, 1, "a")).allMatch(cidr("10.1.0.0/26")::contains);
    assertThat(refusal(() -> ipam().autoAssign(on(B, 1, 0))))
        .isEqualTo(IpamException.Reason.NO_POOL);
    assertThat(addresses(ipam().autoAssign(on(B, 1, 0).withNamespace(Map.of("team", "shop")))))
        .allMatch(cidr("10.2.0.0/26")::contains);
    assertThat(addresses(ipam().autoAssign(on(B, 1, 0).withPools(List.of(cidr("10.1.0.0/26"))))))
        .as("who asks by name is not selected")
        .allMatch(cidr("10.1.0.0/26")::contains);
  }

  @Test
  void manualPoolsServeOnlyWhoAsks() {
    pool("manual", "10.1.0.0/26", spec -> spec.put("assignmentMode", "Manual"));

    assertThat(refusal(() -> ipam().autoAssign(on(A, 1, 0))))
        .isEqualTo(IpamException.Reason.NO_POOL);
    assertThat(ipam().autoAssign(on(A, 1, 0).withPools(List.of(cidr("10.1.0.0/26")))).isComplete())
        .isTrue();
  }

  @Test
  void anEmptyBlockOfAPoolThatNoLongerSelectsIsReleasedAtTheNextRequest() {
    pool("one", "10.1.0.0/26", spec -> spec.put("nodeSelector", "!has(moved)"));
    pool("two", "10.2.0.0/26", spec -> spec.put("nodeSelector", "has(moved)"));
    take(A, 1, "a");
    ipam().releaseByHandle("a");
    assertThat(blocksOf(A)).containsExactly(cidr("10.1.0.0/26"));
    node(A, Map.of("moved", "yes"));

    take(A, 1, "b");

    assertThat(blocksOf(A)).containsExactly(cidr("10.2.0.0/26"));
  }

  @Test
  void reservedAddressesAreNeverAssignedAutomatically() {
    pool("v4", "10.0.0.0/28", 30);
    reserve("10.0.0.0/30", "10.0.0.5/32", "10.0.0.8/31", "10.0.0.10/31");

    AutoAssignResult got = ipam().autoAssign(on(A, 16, 0).withHandle("a", Map.of()));

    assertThat(addresses(got))
        .extracting(IpAddress::toString)
        .containsExactlyInAnyOrder(
            "10.0.0.4", "10.0.0.6", "10.0.0.7", "10.0.0.12", "10.0.0.13", "10.0.0.14", "10.0.0.15");
    ipam().assign(new AssignRequest(ip("10.0.0.5"), A, "b", Map.of()));
    assertThat(blocks()).extracting(block -> block.cidr().toString()).doesNotContain("10.0.0.0/30");
  }

  @Test
  void anEmptyBlockOfAnotherHostIsReclaimedAfterAMinute() {
    pool("v4", "10.0.0.0/28", 28);
    strict(true);
    take(A, 1, "a");
    ipam().releaseByHandle("a");
    assertThat(ipam().autoAssign(on(B, 1, 0)).isComplete()).isFalse();
    letPass(Duration.ofMinutes(2));

    take(B, 1, "b");

    assertThat(blocksOf(A)).isEmpty();
    assertThat(blocksOf(B)).containsExactly(cidr("10.0.0.0/28"));
  }

  @Test
  void aSpecificAddressIsAssignedOnce() {
    pool("v4", "10.0.0.0/24", 26);
    pool("v6", "fd00::/120", 122);

    ipam().assign(new AssignRequest(ip("10.0.0.77"), A, "a", Map.of("node", A)));
    ipam().assign(new AssignRequest(ip("fd00::7"), A, "a", Map.of("node", A)));

    assertThat(ipam().info(ip("10.0.0.77")).handle()).isEqualTo("a");
    assertThat(blocksOf(A)).containsExactlyInAnyOrder(cidr("10.0.0.64/26"), cidr("fd00::/122"));
    assertThatThrownBy(() -> ipam().assign(new AssignRequest(ip("10.0.0.77"), B, "b", Map.of())))
        .hasMessageContaining("10.0.0.77 is already assigned, to handle a");
    assertThat(refusal(() -> ipam().assign(new AssignRequest(ip("10.9.0.1"), A, "a", Map.of()))))
        .isEqualTo(IpamException.Reason.OUTSIDE_POOLS);
    strict(true);
    assertThat(refusal(() -> ipam().assign(new AssignRequest(ip("10.0.0.78"), B, "b", Map.of()))))
        .isEqualTo(IpamException.Reason.STRICT_AFFINITY);
    assertThat(handles()).containsExactly("a");
  }

  @Test
  void aHandleThatMayHaveOneKeepsTheOneItHas() {
    pool("v4", "10.0.0.0/24", 26);
    AutoAssignRequest one = on(A, 1, 0).withHandle("vm", Map.of("node", A)).withMaxPerHandle(1);

    IpAddress first = addresses(ipam().autoAssign(one)).getFirst();
    AutoAssignResult again = newIpam().autoAssign(one);

    assertThat(again.addresses()).containsExactly(IpPrefix.host(first));
    newIpam().assign(new AssignRequest(first, A, "vm", Map.of(), null, 1));
    assertThat(
            refusal(
                () ->
                    newIpam()
                        .assign(new AssignRequest(ip("10.0.0.200"), A, "vm", Map.of(), null, 1))))
        .isEqualTo(IpamException.Reason.HANDLE_LIMIT);
    assertThat(ipam().addressesOf("vm")).containsExactly(first);
    AutoAssignRequest two = one.withMaxPerHandle(2);
    assertThat(addresses(ipam().autoAssign(two)).getFirst()).isNotEqualTo(first);
    assertThat(ipam().autoAssign(two).isComplete()).isTrue();
    assertThat(ipam().addressesOf("vm")).hasSize(2);
  }

  @Test
  void whatAWindowsHostReservesInEachBlockIsNeverAssigned() {
    pool("v4", "10.0.0.0/24", 26);
    strict(true);
    AutoAssignRequest request =
        on(A, 256, 0).withReserved(HostReserved.WINDOWS, null).withHandle("a", Map.of());

    AutoAssignResult got = ipam().autoAssign(request);

    assertThat(got.addresses()).hasSize(240);
    assertThat(handles()).containsExactly("a");
    ipam().releaseByHandle("a");
    ipam().releaseHostAffinities(BlockOwner.host(A), true);
    assertThat(blocks()).as("what only the host has is empty").isEmpty();
  }

  @Test
  void aBlockIsMadeForAHostOnceAndOfTheRightFamily() {
    pool("v4", "10.0.0.0/24", 26);
    pool("v6", "fd00::/120", 122);
    HostReserved some = new HostReserved(2, 1, HostReserved.WINDOWS_HANDLE, "mine");

    Optional<IpPrefix> first = ipam().ensureBlock(A, IpVersion.V6, some, List.of());

    assertThat(first).hasValueSatisfying(block -> assertThat(block.isV6()).isTrue());
    assertThat(newIpam().ensureBlock(A, IpVersion.V6, some, List.of())).isEqualTo(first);
    assertThat(
            refusal(
                () ->
                    ipam()
                        .ensureBlock(A, IpVersion.V4, new HostReserved(60, 9, "h", ""), List.of())))
        .isEqualTo(IpamException.Reason.NO_POOL);
  }

  @Test
  void severalProcessesOfAHostShareABlock() throws Exception {
    pool("v4", "10.0.0.0/20", 26);
    List<Thread> threads = new ArrayList<>();
    List<IpAddress> given = Collections.synchronizedList(new ArrayList<>());
    Ipam shared = newIpam();
    for (int i = 0; i < 16; i++) {
      String handle = "h" + i;
      threads.add(
          Thread.ofVirtual()
              .start(
                  () ->
                      given.addAll(
                          addresses(shared.autoAssign(on(A, 1, 0).withHandle(handle, Map.of()))))));
    }
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(new HashSet<>(given)).hasSize(16);
    assertThat(blocksOf(A)).hasSize(1);
  }

  @Test
  void manyHostsRaceForFewBlocksAndEachGetsAnAddress() throws Exception {
    pool("v4", "10.0.0.0/24", 28);
    List<Thread> threads = new ArrayList<>();
    List<IpAddress> given = Collections.synchronizedList(new ArrayList<>());
    for (int i = 0; i < 32; i++) {
      String host = "racer-" + i;
      node(host, Map.of());
      Ipam own = newIpam();
      threads.add(
          Thread.ofVirtual()
              .start(
                  () ->
                      given.addAll(
                          addresses(own.autoAssign(on(host, 1, 0).withHandle(host, Map.of()))))));
    }
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(new HashSet<>(given)).hasSize(32);
    assertThat(blocks()).hasSize(16);
    assertThat(affinities()).hasSize(16).allMatch(text -> text.endsWith("CONFIRMED"));
  }
}
