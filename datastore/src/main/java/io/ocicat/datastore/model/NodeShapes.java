package io.ocicat.datastore.model;

import static io.ocicat.datastore.model.Shape.field;
import static io.ocicat.datastore.model.Shape.flag;
import static io.ocicat.datastore.model.Shape.struct;
import static io.ocicat.datastore.model.Shape.structs;
import static io.ocicat.datastore.model.Shape.text;
import static io.ocicat.datastore.model.Shape.texts;
import static io.ocicat.datastore.model.Shape.whole;

import io.ocicat.datastore.json.Problems;
import java.util.regex.Pattern;

/** Nodes, and the cluster they make. */
final class NodeShapes {
  /** As one number, or two of 16 bits with a dot. */
  static final Shape.Leaf AS_NUMBER =
      new Shape.Leaf(
          Shape.Type.WHOLE_OR_TEXT,
          value -> {
            if (value.isIntegralNumber()) {
              return Rules.between(0, 0xffff_ffffL).problem(value);
            }
            return Pattern.matches("\\d{1,10}|\\d{1,5}\\.\\d{1,5}", value.stringValue())
                ? null
                : "must be an AS number, as in 64512 or 1.10, not "
                    + Problems.quote(value.stringValue());
          });

  private static final Pattern WIREGUARD_KEY = Pattern.compile("[A-Za-z0-9+/]{43}=");

  private static final Shape.Rule KEY = Rules.matching(WIREGUARD_KEY, "must be 32 bytes in base64");

  private static final Shape.Struct BGP =
      new Shape.Struct(
              field("asNumber", AS_NUMBER).ifPresent(),
              text("ipv4Address", Rules.CIDR_V4),
              text("ipv6Address", Rules.CIDR_V6),
              text("ipv4IPIPTunnelAddr", Rules.IPV4),
              text("routeReflectorClusterID", Rules.IPV4))
          .where(
              (bgp, path, problems) -> {
                if (bgp.isEmpty()) {
                  problems.add(path, "must not be empty: leave it out");
                }
              });

  static final Shape.Struct NODE =
      new Shape.Struct(
          struct("bgp", BGP),
          text("ipv4VXLANTunnelAddr", Rules.IPV4),
          text("vxlanTunnelMACAddr", Rules.MAC),
          text("ipv6VXLANTunnelAddr", Rules.IPV6),
          text("vxlanTunnelMACAddrV6", Rules.MAC),
          structs(
              "orchRefs",
              new Shape.Struct(text("nodeName"), text("orchestrator").always().require())),
          struct(
              "wireguard",
              new Shape.Struct(
                  text("interfaceIPv4Address", Rules.IPV4),
                  text("interfaceIPv6Address", Rules.IPV6))),
          structs(
              "addresses",
              new Shape.Struct(
                  text("address", Rules.CIDR).always().require(),
                  text("type", Rules.oneOf("CalicoNodeIP", "InternalIP", "ExternalIP")))),
          structs("interfaces", new Shape.Struct(text("name"), texts("addresses"))));

  static final Shape.Struct STATUS =
      new Shape.Struct(
          text("wireguardPublicKey", KEY), text("wireguardPublicKeyV6", KEY), texts("podCIDRs"));

  static final Shape.Struct CLUSTER =
      new Shape.Struct(
          text("clusterGUID"),
          text("clusterType"),
          text("calicoVersion"),
          flag("datastoreReady").ifPresent(),
          text("variant"));

  static final Shape.Struct IPAM_CONFIGURATION =
      new Shape.Struct(
          flag("strictAffinity").always(),
          whole("maxBlocksPerHost", 0, Integer.MAX_VALUE),
          flag("autoAllocateBlocks").always(),
          text("kubeVirtVMAddressPersistence", Rules.oneOf("Enabled", "Disabled")).ifPresent(),
          whole("ipCooldownSeconds", 0, 1200));

  private NodeShapes() {}
}
