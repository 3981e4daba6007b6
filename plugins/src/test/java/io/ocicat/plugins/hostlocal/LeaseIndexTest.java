package io.ocicat.plugins.hostlocal;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.cni.plugin.Plugin;
import io.ocicat.ip.IpAddress;
import io.ocicat.plugins.Ipam;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The cached index of a directory, and what happens when it is stale. */
class LeaseIndexTest {
  private static final int MANY = 300;

  @TempDir Path tmp;

  private final Plugin resident = new HostLocalPlugin();

  private Ipam net() {
    return Ipam.of(
            "host-local",
            "{\"cniVersion\":\"1.0.0\",\"name\":\"mynet\",\"type\":\"bridge\",\"ipam\":{\"type\":\"host-local\",\"dataDir\":\"%s\",\"subnet\":\"10.1.0.0/16\"}}"
                .formatted(tmp))
        .resident(resident);
  }

  /** Like a process that serves one call. */
  private Ipam once() {
    return net().resident(new HostLocalPlugin());
  }

  private NetworkDir dir() {
    return new NetworkDir(tmp.resolve("mynet"));
  }

  private void fill() {
    for (int i = 2; i < MANY + 2; i++) {
      dir().put("10.1.%d.%d".formatted(i / 256, i % 256), "old%d\r\neth0".formatted(i));
    }
  }

  private static String address(Ipam net) {
    return net.add().ok().at("/ips/0/address").asString();
  }

  /**
   * Proof that files are not read again: the old content of a file changed in place is still used.
   */
  @Test
  void aresidentProcessReliesOnItsIndex() throws IOException {
    fill();
    net().add().ok();
    Files.writeString(dir().path().resolve("10.1.0.9"), "ghost\r\neth0");

    net().container("ghost").del().ok();

    assertThat(dir().leases()).containsKey("10.1.0.9");
    // Any change by others is detected.
    dir().put("10.1.200.1", "other\r\neth0");
    net().container("ghost").del().ok();
    assertThat(dir().leases()).doesNotContainKey("10.1.0.9");
  }

  @Test
  void processesForOneCallAndAresidentOneFollowEachOther() {
    fill();
    for (int i = 0; i < 20; i++) {
      Ipam first = i % 2 == 0 ? net() : once();
      Ipam second = i % 3 == 0 ? net() : once();
      assertThat(address(first.container("a" + i))).isEqualTo(nth(2 * i));
      assertThat(address(second.container("b" + i))).isEqualTo(nth(2 * i + 1));
      assertThat(second.container("a" + i).add().error().msg()).contains("duplicate allocation");
      second.container("a" + i).del().ok();
      first.container("b" + i).del().ok();
    }
    assertThat(dir().leases()).hasSize(MANY);
  }

  private static String nth(int number) {
    int n = number + MANY + 2;
    return "10.1.%d.%d/16".formatted(n / 256, n % 256);
  }

  @Test
  void aprocessForOneCallFindsWhatIsFreeBehindManyThatAreTaken() {
    fill();
    net().add().ok();
    net().container("old100").del().ok();
    net().container("old300").del().ok();
    dir().put("last_reserved_ip.0", "10.1.0.2");
    once().container("any").del().ok();

    assertThat(address(once().container("a"))).isEqualTo("10.1.0.100/16");
    assertThat(address(once().container("b"))).isEqualTo("10.1.1.44/16");
  }

  @Test
  void aprocessForOneCallNoticesAnAddressThatIsTakenWithoutBeingInTheIndex() throws IOException {
    fill();
    net().add().ok();
    Files.createDirectory(dir().path().resolve(nth(1).replace("/16", "")));
    once().container("any").del().ok();

    assertThat(address(once().container("a"))).isEqualTo(nth(2));
  }

  @Test
  void adirectoryMadeAnewIsAnother() throws IOException {
    net().add().ok();
    for (String name : dir().files().keySet()) {
      dir().remove(name);
    }
    Files.delete(dir().path());

    assertThat(address(net())).isEqualTo("10.1.0.2/16");
  }

  /** Without the lock and in the same clock tick as our own change. */
  @Test
  void whatOthersDoIsSeenAtOnce() {
    for (int i = 0; i < 50; i++) {
      String taken = "10.1.0.%d".formatted(2 * i + 3);
      String ours = address(net().container("c" + i));
      assertThat(ours).isEqualTo("10.1.0.%d/16".formatted(2 * i + 2));
      dir().put(taken, "other%d\r\neth0".formatted(i));
      assertThat(net().container("other" + i).add().error().msg())
          .contains(taken + " has been allocated to other" + i);
    }
  }

  @Test
  void aleaseChangedInPlaceIsNotReleasedForItsOldOwner() throws IOException {
    net().add().ok();
    Files.writeString(dir().path().resolve("10.1.0.2"), "new\r\neth0");

    net().del().ok();
    assertThat(dir().leases()).containsKey("10.1.0.2");
    net().container("new").del().ok();
    assertThat(dir().leases()).isEmpty();
  }

  @Test
  void manyDirectoriesAreRememberedButNotForever() {
    for (int round = 0; round < 2; round++) {
      for (int i = 0; i < 80; i++) {
        Ipam other = net().withConfig(net().config().replace("mynet", "net" + i));
        assertThat(address(other.container("c" + round)))
            .isEqualTo("10.1.0.%d/16".formatted(2 + round));
      }
    }
  }

  @Test
  void ownersAreKnownByTheirContent() {
    LeaseIndex index = new LeaseIndex();
    long owner = LeaseIndex.hash("a\r\neth0");
    index.add(owner, "10.0.0.1");
    index.add(owner, "fd00::1");
    index.add(owner, "10.0.0.1");
    index.remove(LeaseIndex.hash("b\r\neth0"), "10.0.0.1");

    assertThat(index.files(owner)).isEqualTo(List.of("10.0.0.1", "fd00::1"));
    assertThat(index.size()).isEqualTo(2);
    assertThat(index.taken().contains(IpAddress.parse("fd00::1"))).isTrue();

    index.remove(owner, "10.0.0.1");
    index.remove(owner, "fd00::1");
    assertThat(index.files(owner)).isEmpty();
    assertThat(index.size()).isZero();
    assertThat(index.taken().contains(IpAddress.parse("fd00::1"))).isFalse();
  }

  @Test
  void onlyOneFormOfAnAddressNamesAlease() {
    assertThat(
            Stream.of("10.0.0.1", "fd00::1", "fd00:0::1", "FD00::1", "::ffff:10.0.0.1", "lock", "")
                .filter(name -> LeaseIndex.addressOf(name).isPresent()))
        .containsExactly("10.0.0.1", "fd00::1");
  }
}
