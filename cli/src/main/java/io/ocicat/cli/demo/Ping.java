package io.ocicat.cli.demo;

import io.ocicat.cli.machine.MachineException;
import io.ocicat.ip.IpAddress;
import io.ocicat.netlink.linux.IcmpEcho;
import java.time.Duration;
import java.util.Locale;

/** Sends one ICMP echo request from this process's namespace: a pod need not have ping(8). */
final class Ping {
  private static final Duration LIMIT = Duration.ofSeconds(5);
  private static final double NANOS_PER_MILLI = 1e6;

  private Ping() {}

  /** Returns the round-trip time, for instance {@code 0.085}. */
  static String millis(String address) {
    IpAddress to =
        IpAddress.tryParse(address)
            .orElseThrow(
                () -> new MachineException("\"%s\" is not an IP address".formatted(address)));
    Duration time =
        IcmpEcho.send(to, LIMIT)
            .orElseThrow(
                () ->
                    new MachineException(
                        "%s does not answer an ICMP echo request within %d s"
                            .formatted(to, LIMIT.toSeconds())));
    return String.format(Locale.ROOT, "%.3f", time.toNanos() / NANOS_PER_MILLI);
  }
}
