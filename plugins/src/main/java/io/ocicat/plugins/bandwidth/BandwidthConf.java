package io.ocicat.plugins.bandwidth;

import io.ocicat.base.json.JsonFields;
import io.ocicat.cni.Capability;
import io.ocicat.cni.PluginConfig;
import java.util.List;
import java.util.Optional;

/**
 * The configuration of the bandwidth plugin.
 *
 * @param ingress the limit on what the container receives
 * @param egress the limit on what it sends
 */
record BandwidthConf(Optional<DirectionLimit> ingress, Optional<DirectionLimit> egress) {
  private static final List<String> KEYS =
      List.of("ingressRate", "ingressBurst", "egressRate", "egressBurst");

  /**
   * The limits from the configuration or, failing that, from the runtime. They are not merged: any
   * of the four members in the configuration, even 0, overrides the runtime.
   */
  static BandwidthConf read(PluginConfig config) {
    return config.read(
        in ->
            KEYS.stream().anyMatch(in::has)
                ? read(in)
                : read(in.object("runtimeConfig").object(Capability.BANDWIDTH)));
  }

  private static BandwidthConf read(JsonFields in) {
    return new BandwidthConf(
        DirectionLimit.read(in, "ingressRate", "ingressBurst"),
        DirectionLimit.read(in, "egressRate", "egressBurst"));
  }

  boolean isUnlimited() {
    return ingress.isEmpty() && egress.isEmpty();
  }
}
