package io.ocicat.agent.kernel;

import io.ocicat.agent.filter.FilterSettings;
import io.ocicat.agent.filter.FilterSettings.Failsafe;
import io.ocicat.agent.filter.FilterSettings.ToHost;
import io.ocicat.ip.IpPrefix;
import java.util.List;
import java.util.Optional;

/** Settings of a filter that differ from {@link FilterNode#SETTINGS}. */
final class HostSettings {
  private HostSettings() {}

  static FilterSettings toHostDrop() {
    return with(ToHost.DROP, false, List.of());
  }

  static FilterSettings rejecting() {
    return with(ToHost.ACCEPT, true, List.of());
  }

  /** One UDP port stays open in both directions. */
  static FilterSettings openPort(int port) {
    return with(ToHost.ACCEPT, false, List.of(new Failsafe(Rules.UDP, port, Optional.empty())));
  }

  /** The same for peers in these networks. */
  static FilterSettings failsafe(int port, String... nets) {
    return with(
        ToHost.ACCEPT,
        false,
        List.of(nets).stream()
            .map(net -> new Failsafe(Rules.UDP, port, Optional.of(IpPrefix.parse(net))))
            .toList());
  }

  private static FilterSettings with(ToHost toHost, boolean reject, List<Failsafe> failsafes) {
    FilterSettings usual = FilterNode.SETTINGS;
    return new FilterSettings(
        usual.workloadPrefixes(),
        usual.ipv6(),
        toHost,
        reject,
        usual.dropInvalid(),
        usual.logPrefix(),
        failsafes,
        failsafes);
  }
}
