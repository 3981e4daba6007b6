package io.ocicat.ipam;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.datastore.error.CorruptException;
import io.ocicat.datastore.model.BlockAffinity;
import io.ocicat.datastore.model.IpamHandle;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.ip.IpAddress;
import io.ocicat.ipam.check.IpamFinding;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/** Inconsistencies are found, explained and, where that is safe, repaired. */
@ParameterizedClass
@ValueSource(booleans = {true, false})
class IpamCheckTest extends IpamFixture {
  private static final ResourceKey.Block BLOCK = new ResourceKey.Block(cidr("10.0.0.0/28"));
  private final boolean together;

  IpamCheckTest(boolean together) {
    this.together = together;
  }

  @Override
  Engine open() {
    return new EmbeddedScenariosTest.InMemory(together);
  }

  @BeforeEach
  void fill() {
    pool("v4", "10.0.0.0/28", 28);
    take(A, 2, "h");
  }

  private List<IpamFinding> found() {
    return newIpam().check().run().findings();
  }

  private void assertRepairs(IpamFinding.Type type) {
    List<IpamFinding> findings = found();
    assertThat(findings).extracting(IpamFinding::type).containsExactly(type);
    assertThat(findings).allMatch(IpamFinding::isSafe);
    Ipam other = newIpam();
    findings.forEach(finding -> assertThat(other.check().repair(finding)).isTrue());
    assertThat(found()).isEmpty();
    assertThat(newIpam().addressesOf("h")).hasSize(2);
  }

  @Test
  void aHandleForNothing() {
    datastore().create(new IpamHandle("old", Map.of(cidr("10.0.0.0/28"), 1), false).toResource());
    datastore().create(new IpamHandle("gone", Map.of(cidr("10.9.0.0/28"), 1), false).toResource());
    List<IpamFinding> findings = found();
    assertThat(findings)
        .extracting(IpamFinding::type)
        .containsExactly(IpamFinding.Type.ORPHAN_HANDLE, IpamFinding.Type.ORPHAN_HANDLE);
    findings.forEach(newIpam().check()::repair);
    assertThat(handles()).containsExactly("h");
  }

  @Test
  void aHandleThatNamesNoBlock() {
    datastore().create(new IpamHandle("none", Map.of(), false).toResource());
    assertRepairs(IpamFinding.Type.ORPHAN_HANDLE);
  }

  @Test
  void aWrongNumber() {
    Resource handle = datastore().get(new ResourceKey.Handle("h"));
    datastore().update(new IpamHandle("h", Map.of(cidr("10.0.0.0/28"), 7), false).applyTo(handle));
    assertRepairs(IpamFinding.Type.WRONG_COUNT);
  }

  @Test
  void addressesWhoseHandleIsMissing() {
    datastore().delete(new ResourceKey.Handle("h"), null);
    assertRepairs(IpamFinding.Type.MISSING_HANDLE);
  }

  @Test
  void anAffinityWithoutBlock() {
    datastore()
        .create(
            BlockAffinity.create(
                ResourceKey.Affinity.ofHost(B, cidr("10.0.0.64/28")),
                BlockAffinity.State.PENDING_DELETION));
    assertRepairs(IpamFinding.Type.AFFINITY_WITHOUT_BLOCK);
  }

  @Test
  void anAffinityForAnotherOwnersBlock() {
    datastore()
        .create(
            BlockAffinity.create(
                ResourceKey.Affinity.ofHost(B, cidr("10.0.0.0/28")), BlockAffinity.State.PENDING));
    assertRepairs(IpamFinding.Type.STALE_AFFINITY);
  }

  @Test
  void aBlockWhoseOwnerHasNoAffinity() {
    datastore().delete(ResourceKey.Affinity.ofHost(A, cidr("10.0.0.0/28")), null);
    assertRepairs(IpamFinding.Type.BLOCK_WITHOUT_AFFINITY);
    assertThat(affinities()).containsExactly("host-a 10.0.0.0/28 CONFIRMED");
  }

  @Test
  void aBrokenQueueNeverAssignsAnAddressTwice() {
    Resource block = datastore().get(BLOCK);
    datastore()
        .update(block.edit(json -> json.putArray("unallocated").add(0).add(1).add(5).add(5)));

    assertThat(take(B, 1, "i")).containsExactly(ip("10.0.0.5"));
    assertRepairs(IpamFinding.Type.BROKEN_QUEUE);
    assertThat(take(B, 13, "j")).hasSize(13);
  }

  @Test
  void aBlockOutsideEveryPool() {
    datastore().delete(ResourceKey.of(Kind.IP_POOL, "v4"), null);

    assertThat(found())
        .extracting(IpamFinding::type)
        .containsExactly(IpamFinding.Type.BLOCK_OUTSIDE_POOLS);
    assertThat(found().getFirst().isSafe()).as("there are addresses in use").isFalse();
    newIpam().releaseByHandle("h");
    assertThat(found().getFirst().isSafe()).isTrue();
    newIpam().check().repair(found().getFirst());
    assertThat(blocks()).isEmpty();
  }

  @Test
  void whatIsUsedIsComparedWithWhatIsAssigned() {
    Set<IpAddress> used = new HashSet<>(newIpam().addressesOf("h"));
    IpAddress leaked = used.iterator().next();
    used.remove(leaked);
    used.add(ip("10.0.0.9"));
    used.add(ip("192.0.2.1"));

    List<IpamFinding> findings = newIpam().check().run(used).findings();

    assertThat(findings)
        .extracting(IpamFinding::type)
        .containsExactlyInAnyOrder(
            IpamFinding.Type.LEAKED_ADDRESS,
            IpamFinding.Type.UNASSIGNED_ADDRESS,
            IpamFinding.Type.FOREIGN_ADDRESS);
    assertThat(findings).noneMatch(IpamFinding::isSafe);
    findings.forEach(newIpam().check()::repair);
    assertThat(newIpam().addressesOf("h")).hasSize(1).doesNotContain(leaked);
  }

  @Test
  void blocksThatCannotBeReadAreNamedAndNeverUsed() {
    Resource block = datastore().get(BLOCK);
    Resource broken =
        datastore().update(block.edit(json -> json.putArray("allocations").add(7).addNull()));

    assertThat(found()).extracting(IpamFinding::type).contains(IpamFinding.Type.UNREADABLE);
    assertThatThrownBy(() -> newIpam().autoAssign(on(A, 1, 0).withHandle("x", Map.of())))
        .isInstanceOf(CorruptException.class)
        .hasMessageContaining("10.0.0.0/28")
        .hasMessageContaining("repair");
    assertThatThrownBy(() -> newIpam().info(ip("10.0.0.1"))).isInstanceOf(CorruptException.class);
    datastore().update(block.withRevision(broken.revision()));
    assertThat(handles()).containsExactly("h");
  }
}
