package io.ocicat.plugins.macvlan;

import io.ocicat.base.json.JsonFields;
import io.ocicat.cni.Capability;
import io.ocicat.cni.CniArgs;
import io.ocicat.cni.Dns;
import io.ocicat.cni.PluginConfig;
import io.ocicat.cni.plugin.AttachmentCall;
import io.ocicat.ip.MacAddress;
import io.ocicat.netlink.link.LinkKind.Macvlan.Mode;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * The configuration of the macvlan plugin. The addresses come from the plugin that {@code
 * ipam.type} names.
 *
 * @param master the interface to share; empty for the one with the default route
 * @param mtu 0 for the master's
 * @param mac from the runtime or, failing that, from the configuration
 * @param masterInContainer whether the master is in the container rather than on the host
 * @param broadcastQueue how many broadcast frames may wait; 0 leaves it to the kernel
 * @param addressed whether there is an IPAM plugin
 */
record MacvlanConf(
    String master,
    Mode mode,
    int mtu,
    Optional<MacAddress> mac,
    boolean masterInContainer,
    long broadcastQueue,
    Dns dns,
    boolean addressed) {
  private static final Mode[] MODES = {Mode.BRIDGE, Mode.PRIVATE, Mode.VEPA, Mode.PASSTHRU};
  private static final String MAC = "MAC";

  /**
   * Reads the configuration and what a call adds to it.
   *
   * @throws io.ocicat.cni.CniException with code 7, naming every bad field
   */
  static MacvlanConf read(AttachmentCall call) {
    CniArgs args = call.args();
    args.refuseUnknown(Set.of(MAC));
    MacvlanConf conf = read(call.config());
    boolean asked = args.get(MAC).filter(mac -> !mac.isEmpty()).isPresent();
    Optional<MacAddress> runtime =
        call.runtimeConfig(in -> in.mac(Capability.MAC).optional())
            .or(() -> asked ? args.get(MAC, MacAddress::parse) : Optional.empty());
    return runtime.isPresent() ? conf.withMac(runtime) : conf;
  }

  /** Reads the configuration alone. */
  static MacvlanConf read(PluginConfig config) {
    return config.read(in -> read(in, config));
  }

  private static MacvlanConf read(JsonFields in, PluginConfig config) {
    return new MacvlanConf(
        in.text("master").or(""),
        in.choice("mode", MODES, MacvlanConf::name).or(Mode.BRIDGE),
        in.integer("mtu", 0, Integer.MAX_VALUE).or(0),
        in.mac("mac").optional(),
        in.bool("linkInContainer").or(false),
        in.unsigned32("bcqueuelen").or(0L),
        config.dns(),
        !config.ipamType().isEmpty());
  }

  static String name(Mode mode) {
    return mode.name().toLowerCase(Locale.ROOT);
  }

  private MacvlanConf withMac(Optional<MacAddress> newMac) {
    return new MacvlanConf(
        master, mode, mtu, newMac, masterInContainer, broadcastQueue, dns, addressed);
  }
}
