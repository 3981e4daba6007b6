package io.ocicat.ipamserver;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.ip.IpAddress;
import io.ocicat.testkit.Seeded;
import java.math.BigInteger;
import java.util.Optional;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class FreeAddressesTest {
  @Test
  void addressesComeInTurn() {
    FreeAddresses addresses = new FreeAddresses(ip("10.0.0.1"), ip("10.0.0.3"));
    assertThat(addresses.next(ip("10.0.0.3"))).contains(ip("10.0.0.1"));
    assertThat(addresses.next(ip("10.0.0.1"))).contains(ip("10.0.0.2"));
    addresses.take(ip("10.0.0.2"));
    assertThat(addresses.next(ip("10.0.0.1"))).contains(ip("10.0.0.3"));
    addresses.take(ip("10.0.0.1"));
    assertThat(addresses.next(ip("10.0.0.3"))).contains(ip("10.0.0.3"));
    addresses.take(ip("10.0.0.3"));
    assertThat(addresses.next(ip("10.0.0.1"))).isEmpty();
    addresses.release(ip("10.0.0.2"));
    assertThat(addresses.next(ip("10.0.0.2"))).contains(ip("10.0.0.2"));
  }

  @Test
  void whatLiesOutsideIsNeitherTakenNorFree() {
    FreeAddresses addresses = new FreeAddresses(ip("10.0.0.5"), ip("10.0.0.6"));
    addresses.take(ip("10.0.0.0"), ip("10.0.0.5"));
    addresses.take(ip("10.0.0.9"));
    addresses.release(ip("10.0.0.1"));
    assertThat(addresses.isFree(ip("10.0.0.1"))).isFalse();
    assertThat(addresses.isFree(ip("fd00::1"))).isFalse();
    assertThat(addresses.count()).isEqualTo(1);
    assertThat(addresses.next(ip("10.0.0.200"))).contains(ip("10.0.0.6"));
  }

  @Test
  void theEndsOfAFamilyAreNoTrap() {
    IpAddress top = ip("ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff");
    FreeAddresses all = new FreeAddresses(ip("::"), top);
    assertThat(all.count()).isEqualTo(BigInteger.ONE.shiftLeft(128));
    all.take(ip("::1"), top);
    assertThat(all.next(top)).contains(ip("::"));
    all.take(ip("::"));
    assertThat(all.next(ip("::"))).isEmpty();
    all.release(top);
    assertThat(all.next(ip("::"))).contains(top);
    assertThat(all.count()).isEqualTo(1);
  }

  @Test
  void agreesWithASetOfAddresses() {
    Seeded.forAll(
        200,
        random -> {
          IpAddress base = random.nextBoolean() ? ip("10.0.0.0") : ip("fd00::ffff:ffff:ffff:fff0");
          int size = 1 + random.nextInt(40);
          IpAddress last = base.plus(size - 1);
          FreeAddresses addresses = new FreeAddresses(base, last);
          TreeSet<IpAddress> free = new TreeSet<>();
          for (int i = 0; i < size; i++) {
            free.add(base.plus(i));
          }
          for (int step = 0; step < 200; step++) {
            IpAddress address = base.plus(random.nextInt(size + 4));
            switch (random.nextInt(4)) {
              case 0 -> {
                IpAddress end = address.plus(random.nextInt(5));
                addresses.take(address, end);
                free.removeIf(each -> each.compareTo(address) >= 0 && each.compareTo(end) <= 0);
              }
              case 1 -> {
                addresses.take(address);
                free.remove(address);
              }
              default -> {
                addresses.release(address);
                if (address.compareTo(last) <= 0) {
                  free.add(address);
                }
              }
            }
            assertThat(addresses.count()).isEqualTo(free.size());
            assertThat(addresses.isFree(address)).isEqualTo(free.contains(address));
            Optional<IpAddress> expected =
                Optional.ofNullable(free.higher(address))
                    .or(() -> free.isEmpty() ? Optional.empty() : Optional.of(free.first()));
            assertThat(addresses.next(address)).isEqualTo(expected);
          }
        });
  }

  private static IpAddress ip(String text) {
    return IpAddress.parse(text);
  }
}
