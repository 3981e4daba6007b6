package io.ocicat.cni.plugin;

import io.ocicat.base.Quoted;
import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.PluginConfig;
import java.util.List;

/**
 * A delegation of one plugin to another, as found in a configuration.
 *
 * @param type of the other plugin
 * @param config what that reads on stdin
 * @param at the member of the plugin's own configuration that this was made from; empty for all of
 *     it. In both, {@code ipam} is in the same place.
 */
public record Delegation(String type, PluginConfig config, String at) {

  /**
   * To the IPAM plugin that {@code ipam.type} names.
   *
   * @throws CniException with code 7 when it names none
   */
  public static Delegation toIpam(PluginConfig config) {
    if (config.ipamType().isEmpty()) {
      throw new CniException(
          ErrorCode.INVALID_NETWORK_CONFIG,
          "no plugin name provided",
          "ipam.type is missing: it names the plugin that manages addresses");
    }
    if (config.ipamType().equals(config.type())) {
      throw new CniException(
          ErrorCode.INVALID_NETWORK_CONFIG,
          "ipam.type %s names the plugin itself".formatted(Quoted.brief(config.ipamType())),
          "it names the plugin that manages addresses, for instance host-local");
    }
    return new Delegation(config.ipamType(), config, "");
  }

  /** The same where a network may do without addresses. */
  public static List<Delegation> toIpamIfAny(PluginConfig config) {
    return config.ipamType().isEmpty() ? List.of() : List.of(toIpam(config));
  }
}
