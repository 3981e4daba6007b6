package io.ocicat.plugins.net;

import io.ocicat.cni.CniException;
import io.ocicat.cni.PluginConfig;
import io.ocicat.cni.Result;

/** Networks without an IPAM plugin: their containers get an interface and no address. */
public final class NoIpam {
  private NoIpam() {}

  /**
   * Old result versions require an address: fail now rather than when everything is done.
   *
   * @throws CniException when the configuration names no IPAM plugin and has such a version
   */
  public static void requireExpressible(PluginConfig config) {
    if (config.ipamType().isEmpty()) {
      Result.empty().convertTo(config.specVersion());
    }
  }
}
