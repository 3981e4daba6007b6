package io.ocicat.plugins.bandwidth;

import io.ocicat.cni.Capability;
import io.ocicat.cni.PluginConfig;
import io.ocicat.cni.json.JsonFields;
import java.util.List;
import java.util.Optional;

/**
 * What the configuration asks for.
 *
 * @param ingress of what the container receives
 * @param egress of what it sends
 */
record BandwidthConf(Optional<DirectionLimit> ingress, Optional<DirectionLimit> egress) {
  private static final List<String> KEYS =
      List.of("ingressRate", "ingressBurst", "egressRate", "egressBurst");

  /**
   * The configuration's own numbers or else the runtime's. They are not merged: any of the four,
   * even 0, silences the runtime.
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
