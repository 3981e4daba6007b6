package io.ocicat.netlink;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.netlink.ns.NetNs;
import io.ocicat.testkit.Eventually;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Repeated use leaks neither descriptors nor memory: a daemon does this for months. */
@Hosts
class LeakTest {
  private static final int CYCLES = 10_000;

  @Test
  void tenThousandSocketsAndNamespacesLeaveNothing(Host host) throws IOException {
    cycle(host); // loads classes, starts the pooled thread
    long descriptors = descriptors();
    int threads = threads();
    long memory = residentKilobytes();

    for (int i = 0; i < CYCLES; i++) {
      cycle(host);
    }

    // In a user namespace a pooled thread goes, which closes its descriptor after we have returned.
    Eventually.passes(
        Duration.ofSeconds(10),
        () -> assertThat(descriptors()).as("open descriptors").isLessThanOrEqualTo(descriptors));
    assertThat(threads()).as("threads").isLessThanOrEqualTo(threads + 2);
    // A leaked 64 KiB buffer per cycle would be 640 MiB.
    assertThat(residentKilobytes() - memory).as("resident memory, KiB").isLessThan(100_000);
  }

  private static void cycle(Host host) {
    try (NetNs namespace = NetNs.open(host.path());
        NetlinkSocket socket = NetlinkSocket.open(Protocol.ROUTE, namespace)) {
      assertThat(
              socket.list(
                  NetlinkQuery.all(
                      18, out -> out.zeros(16), NetlinkMessage::type, () -> "list links")))
          .hasSize(1);
    }
  }

  private static long descriptors() {
    try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
      return open.count();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static int threads() {
    return Thread.getAllStackTraces().size();
  }

  private static long residentKilobytes() throws IOException {
    return Files.readAllLines(Path.of("/proc/self/status")).stream()
        .filter(line -> line.startsWith("VmRSS:"))
        .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
        .findFirst()
        .orElseThrow();
  }
}
