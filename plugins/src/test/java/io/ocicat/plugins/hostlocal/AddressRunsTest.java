package io.ocicat.plugins.hostlocal;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.ip.IpAddress;
import io.ocicat.testkit.Seeded;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class AddressRunsTest {
  /** Both ends of both families, and the boundary where the upper half of an address changes. */
  private static final List<IpAddress> STARTS =
      List.of(
          IpAddress.parse("0.0.0.0"),
          IpAddress.parse("10.0.0.250"),
          IpAddress.parse("255.255.255.240"),
          IpAddress.parse("::"),
          IpAddress.parse("fd00::ffff:ffff:ffff:fff8"),
          IpAddress.parse("ffff:ffff:ffff:ffff:ffff:ffff:ffff:fff0"));

  @Test
  void itIsAset() {
    Seeded.forAll(
        300,
        random -> {
          AddressRuns runs = new AddressRuns();
          Set<IpAddress> expected = new HashSet<>();
          for (int i = 0; i < 200; i++) {
            IpAddress start = STARTS.get(random.nextInt(STARTS.size()));
            IpAddress address = start.plus(random.nextInt(16));
            if (random.nextInt(5) < 3) {
              runs.add(address);
              expected.add(address);
            } else {
              runs.remove(address);
              expected.remove(address);
            }
            assertThat(runs.contains(address)).isEqualTo(expected.contains(address));
            IpAddress from = start.plus(random.nextInt(8));
            IpAddress to = start.plus(8 + random.nextInt(8));
            assertThat(runs.firstMissing(from, to)).isEqualTo(firstMissing(expected, from, to));
          }
        });
  }

  private static Optional<IpAddress> firstMissing(
      Set<IpAddress> set, IpAddress from, IpAddress to) {
    IpAddress candidate = from;
    while (set.contains(candidate)) {
      if (candidate.equals(to)) {
        return Optional.empty();
      }
      candidate = candidate.next();
    }
    return Optional.of(candidate);
  }
}
