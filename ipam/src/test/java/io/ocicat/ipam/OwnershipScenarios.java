package io.ocicat.ipam;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.datastore.model.IpPool;
import io.ocicat.datastore.model.IpamConfig;
import io.ocicat.ipam.model.AssignRequest;
import io.ocicat.ipam.model.AutoAssignRequest;
import io.ocicat.ipam.model.AutoAssignResult;
import io.ocicat.ipam.model.BlockOwner;
import io.ocicat.ipam.model.CalicoConventions;
import io.ocicat.ipam.model.ClaimedBlocks;
import io.ocicat.ipam.model.IpamException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Scenarios of claiming and releasing blocks, for every engine. */
abstract class OwnershipScenarios extends IpamFixture {
  private static final BlockOwner OF_A = BlockOwner.host(A);
  private static final BlockOwner OF_B = BlockOwner.host(B);

  @BeforeEach
  void makePool() {
    pool("v4", "10.0.0.0/24", 26);
  }

  @Test
  void aRangeIsClaimedBlockByBlock() {
    ipam().claimAffinity(cidr("10.0.0.64/26"), OF_B);

    ClaimedBlocks claimed = ipam().claimAffinity(cidr("10.0.0.0/24"), OF_A);

    assertThat(claimed.failed()).containsExactly(cidr("10.0.0.64/26"));
    assertThat(claimed.claimed()).hasSize(3);
    assertThat(ipam().claimAffinity(cidr("10.0.0.0/24"), OF_A)).isEqualTo(claimed);
    assertThat(affinities()).hasSize(4);
    assertThat(refusal(() -> ipam().claimAffinity(cidr("10.0.0.0/27"), OF_A)))
        .isEqualTo(IpamException.Reason.INVALID_REQUEST);
    assertThat(refusal(() -> ipam().claimAffinity(cidr("10.9.0.0/24"), OF_A)))
        .isEqualTo(IpamException.Reason.OUTSIDE_POOLS);
  }

  @Test
  void onlyEmptyBlocksAreReleasedWhenThatIsRequired() {
    ipam().claimAffinity(cidr("10.0.0.0/24"), OF_A);
    ipam().assign(new AssignRequest(ip("10.0.0.70"), A, "h", Map.of()));

    assertThatThrownBy(() -> ipam().releaseAffinity(cidr("10.0.0.0/24"), OF_A, true))
        .hasMessageContaining("10.0.0.64/26");
    assertThat(blocksOf(A)).as("the others were").containsExactly(cidr("10.0.0.64/26"));

    ipam().releaseAffinity(cidr("10.0.0.64/26"), OF_A, false);
    assertThat(affinities()).isEmpty();
    assertThat(blocks()).hasSize(1);
    assertThat(ipam().info(ip("10.0.0.70")).handle()).isEqualTo("h");
    newIpam().releaseByHandle("h");
    assertThat(blocks()).as("nobody owns it, nobody uses it").isEmpty();
  }

  @Test
  void othersBlocksAreLeftAlone() {
    ipam().claimAffinity(cidr("10.0.0.0/26"), OF_B);

    ipam().releaseAffinity(cidr("10.0.0.0/24"), OF_A, false);
    ipam().releaseHostAffinities(OF_A, false);
    ipam().removeHost(BlockOwner.host("never-seen"));

    assertThat(blocksOf(B)).containsExactly(cidr("10.0.0.0/26"));
  }

  @Test
  void aHostThatIsRemovedOwnsNothingAndItsAddressesStay() {
    take(A, 1, "h");

    ipam().removeHost(OF_A);

    assertThat(affinities()).isEmpty();
    assertThat(ipam().addressesOf("h")).hasSize(1);
    assertThat(take(B, 1, "i")).hasSize(1);
  }

  @Test
  void aPoolIsReleasedByAllOwners() {
    take(A, 1, "a");
    take(B, 1, "b");
    changePool("v4", spec -> spec.put("disabled", true));

    ipam().releasePoolAffinities(cidr("10.0.0.0/24"));

    assertThat(affinities()).isEmpty();
    assertThat(blocks()).hasSize(2).allMatch(block -> block.affinity() == null);
  }

  @Test
  void manyClaimOneBlockAndOneGetsIt() throws Exception {
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      BlockOwner owner = i % 2 == 0 ? OF_A : OF_B;
      Ipam own = newIpam();
      threads.add(Thread.ofVirtual().start(() -> own.claimAffinity(cidr("10.0.0.0/26"), owner)));
    }
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(affinities()).hasSize(1).allMatch(text -> text.endsWith("CONFIRMED"));
    threads.clear();
    for (int i = 0; i < 8; i++) {
      BlockOwner owner = i % 2 == 0 ? OF_A : OF_B;
      Ipam own = newIpam();
      threads.add(
          Thread.ofVirtual().start(() -> own.releaseAffinity(cidr("10.0.0.0/26"), owner, true)));
    }
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(affinities()).isEmpty();
    assertThat(blocks()).isEmpty();
  }

  @Test
  void settingsAreReadWithoutWritingAndMustNotContradictThemselves() {
    assertThat(ipam().config()).isEqualTo(IpamConfig.DEFAULT);
    assertThat(refusal(() -> ipam().configure(new IpamConfig(false, false, 0, true))))
        .isEqualTo(IpamException.Reason.BAD_CONFIGURATION);
    assertThat(refusal(() -> ipam().configure(new IpamConfig(false, true, 3, true))))
        .isEqualTo(IpamException.Reason.BAD_CONFIGURATION);

    ipam().configure(new IpamConfig(true, true, 3, false));

    assertThat(newIpam().config()).isEqualTo(new IpamConfig(true, true, 3, false));
    ipam().configure(IpamConfig.DEFAULT);
    assertThat(newIpam().config()).isEqualTo(IpamConfig.DEFAULT);
  }

  @Test
  void upgradingAHostChangesNothingThatCounts() {
    take(A, 1, "h");
    List<String> before = affinities();

    ipam().upgradeHost(A);

    assertThat(affinities()).isEqualTo(before);
  }

  @Test
  void loadBalancersHaveBlocksOfTheirOwn() {
    pool("lb", "10.8.0.0/24", spec -> spec.putArray("allowedUses").add("LoadBalancer"));

    AutoAssignResult got =
        ipam()
            .autoAssign(
                AutoAssignRequest.on(BlockOwner.LOAD_BALANCER.name())
                    .withCounts(1, 0)
                    .withUse(IpPool.Use.LOAD_BALANCER)
                    .withHandle(CalicoConventions.serviceHandle("web", "shop", "u1"), Map.of()));

    assertThat(addresses(got)).allMatch(cidr("10.8.0.0/24")::contains);
    assertThat(blocks().getFirst().affinity()).isEqualTo("virtual:load-balancer");
    ipam().releasePoolAffinities(cidr("10.8.0.0/24"));
    assertThat(affinities()).as("also of a pool for services").isEmpty();
  }
}
