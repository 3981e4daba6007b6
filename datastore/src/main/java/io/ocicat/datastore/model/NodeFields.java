package io.ocicat.datastore.model;

import static io.ocicat.datastore.model.Shape.field;
import static io.ocicat.datastore.model.Shape.struct;
import static io.ocicat.datastore.model.Shape.structs;
import static io.ocicat.datastore.model.Shape.text;
import static io.ocicat.datastore.model.Shape.texts;

import java.util.regex.Pattern;

/** The schema of Node: Calico's configuration of a node. */
final class NodeFields {
  private static final ValueLimit WIREGUARD_KEY =
      ValueRules.matching(
          "wireguard key", Pattern.compile("[A-Za-z0-9+/]{43}="), "must be 32 bytes in base64");

  private static final Shape.Struct BGP =
      new Shape.Struct(
              BgpFields.asNumber("asNumber", "The node's AS number.").ifPresent(),
              text("ipv4Address", "The node's IPv4 address.").is(ValueRules.CIDR_V4),
              text("ipv6Address", "The node's IPv6 address.").is(ValueRules.CIDR_V6),
              text("ipv4IPIPTunnelAddr", "The IPIP tunnel's address.").is(ValueRules.IPV4),
              text("routeReflectorClusterID", "The cluster of a route reflector.")
                  .is(ValueRules.IPV4))
          .where(
              "Not empty.",
              (bgp, path, problems) -> {
                if (bgp.isEmpty()) {
                  problems.add(path, "must not be empty: leave it out");
                }
              });

  private static final Shape.Struct SPEC =
      new Shape.Struct(
          struct("bgp", "The node's BGP configuration.", BGP),
          text("ipv4VXLANTunnelAddr", "The VXLAN tunnel's address.").is(ValueRules.IPV4),
          text("vxlanTunnelMACAddr", "The VXLAN tunnel's MAC address.").is(ValueRules.MAC),
          text("ipv6VXLANTunnelAddr", "The IPv6 VXLAN tunnel's address.").is(ValueRules.IPV6),
          text("vxlanTunnelMACAddrV6", "The IPv6 VXLAN tunnel's MAC address.").is(ValueRules.MAC),
          structs(
              "orchRefs",
              "References to the node in orchestrators.",
              new Shape.Struct(
                  text("nodeName", "The name."),
                  text("orchestrator", "The orchestrator.").always().require())),
          struct(
              "wireguard",
              "The WireGuard interfaces.",
              new Shape.Struct(
                  text("interfaceIPv4Address", "The IPv4 address.").is(ValueRules.IPV4),
                  text("interfaceIPv6Address", "The IPv6 address.").is(ValueRules.IPV6))),
          structs(
              "addresses",
              "The node's addresses.",
              new Shape.Struct(
                  text("address", "The address.").is(ValueRules.CIDR).always().require(),
                  text("type", "What it is for.").in("CalicoNodeIP", "InternalIP", "ExternalIP"))),
          structs(
              "interfaces",
              "The node's interfaces.",
              new Shape.Struct(
                  text("name", "The interface."), texts("addresses", "Its addresses."))));

  private static final Shape.Struct STATUS =
      new Shape.Struct(
          text("wireguardPublicKey", "The IPv4 key.").is(WIREGUARD_KEY),
          text("wireguardPublicKeyV6", "The IPv6 key.").is(WIREGUARD_KEY),
          texts("podCIDRs", "The node's ranges for pods."));

  static final Shape.Struct DOCUMENT =
      MetadataShape.document(
          field("spec", "Calico's configuration of a node.", SPEC).always(),
          field("status", "The node's status.", STATUS).always());

  private NodeFields() {}
}
