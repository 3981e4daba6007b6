package io.ocicat.plugins.ptp;

import io.ocicat.base.json.JsonFields;
import io.ocicat.cni.Dns;
import io.ocicat.cni.PluginConfig;
import io.ocicat.plugins.net.NetworkDns;
import org.jspecify.annotations.Nullable;

/**
 * The configuration of the ptp plugin. The addresses come from the plugin that {@code ipam.type}
 * names.
 *
 * @param masquerade whether traffic that leaves the container's subnet is masqueraded
 * @param mtu of both ends of the veth pair; 0 leaves it to the kernel
 * @param dns what replaces the IPAM plugin's DNS settings, or null
 */
record PtpConf(boolean masquerade, int mtu, @Nullable Dns dns) {
  private static final int LEAST_MTU = 68;
  private static final int LARGEST_MTU = 65535;

  /**
   * Reads the configuration.
   *
   * @throws io.ocicat.cni.CniException with code 7, naming every bad field
   */
  static PtpConf read(PluginConfig config) {
    return config.read(PtpConf::read);
  }

  private static PtpConf read(JsonFields in) {
    // Both backends are nf_tables here; what iptables created is removed wherever it is found.
    in.choice("ipMasqBackend", new String[] {"iptables", "nftables"}, name -> name);
    return new PtpConf(
        in.bool("ipMasq").or(false),
        in.integer("mtu", 0, LARGEST_MTU)
            .check(
                mtu -> mtu == 0 || mtu >= LEAST_MTU,
                "must be 0 for the kernel's choice, or %d–%d".formatted(LEAST_MTU, LARGEST_MTU))
            .or(0),
        NetworkDns.read(in));
  }
}
