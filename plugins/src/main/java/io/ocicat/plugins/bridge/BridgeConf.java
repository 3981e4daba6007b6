package io.ocicat.plugins.bridge;

import io.ocicat.base.json.JsonField;
import io.ocicat.base.json.JsonFields;
import io.ocicat.cni.Dns;
import io.ocicat.cni.PluginConfig;
import io.ocicat.ip.MacAddress;
import io.ocicat.plugins.net.NetworkDns;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The configuration of the bridge plugin.
 *
 * @param gateway whether the bridge gets the containers' gateway address
 * @param defaultGateway whether containers get a default route through that address
 * @param mtu of a new bridge and of both ends of the veth pair; 0 leaves it to the kernel
 * @param detectDuplicates whether IPv6 addresses wait for duplicate address detection
 * @param leaveDown whether the container end stays down
 * @param addressed whether an IPAM plugin assigns addresses; if not, the network is layer 2 only
 * @param mac the requested hardware address of the container end, or null
 * @param dns what replaces the IPAM plugin's DNS settings, or null
 */
record BridgeConf(
    String bridge,
    boolean gateway,
    boolean defaultGateway,
    boolean forceAddress,
    boolean masquerade,
    int mtu,
    boolean hairpin,
    boolean promiscuous,
    PortVlans vlans,
    boolean spoofCheck,
    boolean detectDuplicates,
    boolean isolated,
    boolean leaveDown,
    boolean addressed,
    @Nullable MacAddress mac,
    @Nullable Dns dns) {
  private static final String DEFAULT_BRIDGE = "cni0";
  private static final int LONGEST_NAME = 15;
  private static final Pattern LINK_NAME = Pattern.compile("[^/:%\\p{Cntrl}\\s]+");
  private static final int LEAST_MTU = 68;

  /**
   * Reads the configuration.
   *
   * @throws io.ocicat.cni.CniException with code 7, naming every bad field
   */
  static BridgeConf read(PluginConfig config) {
    return config.read(in -> read(in, !config.ipamType().isEmpty()));
  }

  private static BridgeConf read(JsonFields in, boolean addressed) {
    boolean defaultGateway = in.bool("isDefaultGateway").or(false);
    in.choice("ipMasqBackend", new String[] {"iptables", "nftables"}, backend -> backend);
    BridgeConf conf =
        new BridgeConf(
            bridge(in),
            in.bool("isGateway").or(false) || defaultGateway,
            defaultGateway,
            in.bool("forceAddress").or(false),
            in.bool("ipMasq").or(false),
            in.integer("mtu", 0, 65535)
                .check(
                    mtu -> mtu == 0 || mtu >= LEAST_MTU,
                    "must be 0 for the kernel's choice or at least " + LEAST_MTU)
                .or(0),
            in.bool("hairpinMode").or(false),
            in.bool("promiscMode").or(false),
            PortVlans.read(in),
            in.bool("macspoofchk").or(false),
            in.bool("enabledad").or(false),
            in.bool("portIsolation").or(false),
            in.bool("disableContainerInterface").or(false),
            addressed,
            mac(in),
            NetworkDns.read(in));
    conf.reportContradictions(in);
    return conf;
  }

  private void reportContradictions(JsonFields in) {
    if (hairpin && promiscuous) {
      in.problem("hairpinMode", "and promiscMode cannot be combined: frames would come back twice");
    }
    if (leaveDown && addressed) {
      in.problem(
          "disableContainerInterface",
          "and ipam cannot be combined: an interface that is down has no use for addresses");
    }
    if (gateway && vlans.access() != 0 && vlanGateway().length() > LONGEST_NAME) {
      in.problem(
          "bridge",
          "is too long a name: with isGateway and vlan there is an interface \"%s\", and Linux allows %d characters"
              .formatted(vlanGateway(), LONGEST_NAME));
    }
  }

  /** The name of the interface that has the gateway's address in a VLAN. */
  String vlanGateway() {
    return bridge + "." + vlans.access();
  }

  private static String bridge(JsonFields in) {
    return in.text("bridge")
        .map(name -> name.isEmpty() ? DEFAULT_BRIDGE : name, DEFAULT_BRIDGE)
        .check(
            BridgeConf::isLinkName,
            "cannot name a bridge: 1 to %d bytes without / : %% and blanks".formatted(LONGEST_NAME))
        .or(DEFAULT_BRIDGE);
  }

  /** Whether Linux accepts the name for a link. */
  static boolean isLinkName(String name) {
    return name.getBytes(StandardCharsets.UTF_8).length <= LONGEST_NAME
        && LINK_NAME.matcher(name).matches()
        && !name.equals(".")
        && !name.equals("..");
  }

  /** Values from the runtime override those of the network configuration. */
  private static @Nullable MacAddress mac(JsonFields in) {
    MacAddress fixed = unicast(in.object("args").object("cni").mac("mac")).orNull();
    MacAddress supplied = unicast(in.object("runtimeConfig").mac("mac")).orNull();
    return supplied == null ? fixed : supplied;
  }

  private static JsonField<MacAddress> unicast(JsonField<MacAddress> mac) {
    return mac.check(
        address -> !address.isMulticast() && address.bits() != 0,
        "must be the address of one interface: neither multicast nor all zeros");
  }
}
