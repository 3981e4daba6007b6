package io.ocicat.datastore.model;

import static io.ocicat.datastore.model.Shape.field;
import static io.ocicat.datastore.model.Shape.struct;
import static io.ocicat.datastore.model.Shape.structs;
import static io.ocicat.datastore.model.Shape.text;
import static io.ocicat.datastore.model.Shape.texts;
import static io.ocicat.datastore.model.Shape.whole;

import io.ocicat.datastore.json.Problems;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Endpoints of workloads and of hosts. */
final class EndpointShapes {
  private static final Set<String> WITH_PORTS = Set.of("tcp", "udp", "sctp");
  private static final Set<Integer> WITH_PORTS_BY_NUMBER = Set.of(6, 17, 132);

  /** Names of protocols in any case, or numbers. */
  static final Shape.Leaf PROTOCOL =
      new Shape.Leaf(
          Shape.Type.WHOLE_OR_TEXT,
          value -> {
            if (value.isIntegralNumber()) {
              return Rules.between(1, 255).problem(value);
            }
            boolean known =
                Set.of("tcp", "udp", "icmp", "icmpv6", "sctp", "udplite")
                    .contains(value.stringValue().toLowerCase(Locale.ROOT));
            return known
                ? null
                : "must be TCP, UDP, ICMP, ICMPv6, SCTP, UDPLite or 1–255, not "
                    + Problems.quote(value.stringValue());
          });

  private static final Shape.Struct NAT =
      new Shape.Struct(text("internalIP", Rules.IP).always(), text("externalIP", Rules.IP).always())
          .where(EndpointShapes::checkNat);

  private static final Shape.Struct WORKLOAD_PORT =
      new Shape.Struct(
              text("name", Rules.PORT).always(),
              field("protocol", PROTOCOL).always().require(),
              whole("port", 1, 65535).always().require(),
              whole("hostPort", 0, 65535).always(),
              text("hostIP", Rules.NETWORK).always())
          .where(
              (port, path, problems) -> {
                checkProtocol(port, path, problems);
                if (port.path("name").asString("").isEmpty()
                    && port.path("hostPort").asInt(0) == 0) {
                  problems.add(path, "needs a name or a hostPort");
                }
              });

  private static final Shape.Struct HOST_PORT =
      new Shape.Struct(
              text("name", Rules.PORT).always().require(),
              field("protocol", PROTOCOL).always().require(),
              whole("port", 1, 65535).always().require())
          .where(EndpointShapes::checkProtocol);

  private static final Shape.Struct QOS =
      new Shape.Struct(
          rate("ingressBandwidth"),
          rate("ingressBurst"),
          rate("ingressPeakrate"),
          rate("ingressMinburst"),
          rate("egressBandwidth"),
          rate("egressBurst"),
          rate("egressPeakrate"),
          rate("egressMinburst"),
          rate("ingressPacketRate"),
          rate("ingressPacketBurst"),
          rate("egressPacketRate"),
          rate("egressPacketBurst"),
          rate("ingressMaxConnections"),
          rate("egressMaxConnections"),
          field("dscp", new Shape.Anything()).ifPresent());

  static final Shape.Struct WORKLOAD =
      new Shape.Struct(
              text("orchestrator", Rules.NAME),
              text("workload", Rules.NAME),
              text("node", Rules.NAME),
              text("containerID", Rules.CONTAINER),
              text("pod", Rules.NAME),
              text("endpoint", Rules.NAME),
              text("serviceAccountName", Rules.NAME),
              texts("ipNetworks", Rules.NETWORK),
              structs("ipNATs", NAT),
              text("ipv4Gateway", Rules.IPV4),
              text("ipv6Gateway", Rules.IPV6),
              texts("profiles", Rules.NAME),
              text("interfaceName", Rules.INTERFACE_NAME).require(),
              text("mac", Rules.MAC),
              structs("ports", WORKLOAD_PORT),
              texts("allowSpoofedSourcePrefixes", Rules.CIDR),
              struct("qosControls", QOS))
          .where(EndpointShapes::checkWorkload);

  static final Shape.Struct HOST =
      new Shape.Struct(
              text("node", Rules.NAME),
              text("interfaceName", Rules.INTERFACE_NAME),
              texts("expectedIPs", Rules.IP),
              texts("profiles", Rules.NAME),
              structs("ports", HOST_PORT))
          .where(
              (spec, path, problems) -> {
                if (spec.path("interfaceName").asString("").isEmpty()
                    && spec.path("expectedIPs").isEmpty()) {
                  problems.add(path, "needs an interfaceName or expectedIPs");
                }
              });

  private EndpointShapes() {}

  private static Shape.Member rate(String name) {
    return whole(name, 0, Long.MAX_VALUE);
  }

  /** By name in any case, or by number. */
  static boolean hasPorts(JsonNode protocol) {
    return protocol.isIntegralNumber()
        ? WITH_PORTS_BY_NUMBER.contains(protocol.asInt())
        : WITH_PORTS.contains(protocol.asString("").toLowerCase(Locale.ROOT));
  }

  private static void checkProtocol(ObjectNode port, String path, Problems problems) {
    if (!hasPorts(port.path("protocol"))) {
      problems.add(path + ".protocol", "has no ports: use TCP, UDP or SCTP");
    }
  }

  private static void checkNat(ObjectNode nat, String path, Problems problems) {
    String internal = nat.path("internalIP").asString("");
    String external = nat.path("externalIP").asString("");
    if (internal.isEmpty() || external.isEmpty()) {
      problems.add(path, "needs both internalIP and externalIP");
    } else if (IpAddress.parse(internal).isV4() != IpAddress.parse(external).isV4()) {
      problems.add(
          path, "maps %s to %s: both must be of one IP version".formatted(external, internal));
    }
  }

  private static void checkWorkload(ObjectNode spec, String path, Problems problems) {
    List<IpPrefix> networks = new ArrayList<>();
    for (JsonNode network : spec.path("ipNetworks").values()) {
      IpPrefix prefix = Rules.network(network.stringValue());
      networks.add(prefix);
      if (prefix.length() != prefix.address().bitLength()) {
        problems.add(path + ".ipNetworks", "must be single addresses (/32 or /128), not " + prefix);
      }
    }
    for (JsonNode nat : spec.path("ipNATs").values()) {
      IpAddress internal = IpAddress.parse(nat.path("internalIP").asString(""));
      if (networks.stream().noneMatch(network -> network.contains(internal))) {
        problems.add(
            path + ".ipNATs", "maps to %s, which is not in ipNetworks".formatted(internal));
      }
    }
  }
}
