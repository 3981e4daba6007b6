package io.ocicat.datastore.model;

import static io.ocicat.datastore.model.Shape.field;
import static io.ocicat.datastore.model.Shape.struct;
import static io.ocicat.datastore.model.Shape.structs;
import static io.ocicat.datastore.model.Shape.text;
import static io.ocicat.datastore.model.Shape.texts;
import static io.ocicat.datastore.model.Shape.whole;

import io.ocicat.base.json.Problems;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** The schema of WorkloadEndpoint: the interface of a container. */
final class WorkloadEndpointFields {
  private static final Shape.Struct NAT =
      new Shape.Struct(
              text("internalIP", "The container's address.").is(ValueRules.IP).always(),
              text("externalIP", "The address outside.").is(ValueRules.IP).always())
          .where("Both are of one IP version.", WorkloadEndpointFields::checkNat);

  private static final Shape.Struct PORT =
      new Shape.Struct(
              text("name", "The port's name in policies.").is(ValueRules.PORT).always(),
              EndpointFields.protocol("protocol", "The protocol.").always().require(),
              EndpointFields.port("port", "The port."),
              whole("hostPort", "The port of the node.", 0, 65535).always(),
              text("hostIP", "The address of the node.").is(ValueRules.NETWORK).always())
          .where(EndpointFields.PROTOCOL_WITH_PORTS)
          .where(
              "A port has a name or a port of the node.",
              (port, path, problems) -> {
                if (!FieldRule.isSet(port, "name") && !FieldRule.isSet(port, "hostPort")) {
                  problems.add(path, "needs a name or a hostPort");
                }
              });

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
          field("dscp", "The code point of packets.", Dscp.LEAF).ifPresent());

  static final Shape.Struct SPEC =
      new Shape.Struct(
              text("orchestrator", "The orchestrator.").is(ValueRules.NAME),
              text("workload", "The workload's name.").is(ValueRules.NAME),
              text("node", "The node.").is(ValueRules.NAME),
              text("containerID", "The container's id.").is(ValueRules.CONTAINER),
              text("pod", "The pod.").is(ValueRules.NAME),
              text("endpoint", "The interface in the container.").is(ValueRules.NAME),
              text("serviceAccountName", "The pod's service account.").is(ValueRules.NAME),
              texts("ipNetworks", "The container's addresses.").is(ValueRules.NETWORK),
              structs("ipNATs", "Addresses outside.", NAT),
              text("ipv4Gateway", "The IPv4 gateway.").is(ValueRules.IPV4),
              text("ipv6Gateway", "The IPv6 gateway.").is(ValueRules.IPV6),
              texts("profiles", "The profiles that apply.").is(ValueRules.NAME),
              text("interfaceName", "The interface on the node.")
                  .is(ValueRules.INTERFACE_NAME)
                  .require(),
              text("mac", "The container's MAC address.").is(ValueRules.MAC),
              structs("ports", "Ports that have names.", PORT),
              texts("allowSpoofedSourcePrefixes", "Foreign addresses it may send from.")
                  .is(ValueRules.CIDR),
              struct("qosControls", "Limits of traffic.", QOS))
          .where("Networks are single addresses.", WorkloadEndpointFields::singleAddresses)
          .where("NAT leads to own addresses.", WorkloadEndpointFields::ownAddresses);

  private WorkloadEndpointFields() {}

  private static Shape.Member rate(String name) {
    return whole(name, "A limit.", 0, Long.MAX_VALUE);
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

  private static void singleAddresses(ObjectNode spec, String path, Problems problems) {
    for (JsonNode network : spec.path("ipNetworks").values()) {
      IpPrefix prefix = ValueRules.network(network.stringValue());
      if (prefix.length() != prefix.address().bitLength()) {
        problems.add(path + ".ipNetworks", "must be single addresses (/32 or /128), not " + prefix);
      }
    }
  }

  private static void ownAddresses(ObjectNode spec, String path, Problems problems) {
    List<IpPrefix> networks = new ArrayList<>();
    for (JsonNode network : spec.path("ipNetworks").values()) {
      networks.add(ValueRules.network(network.stringValue()));
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
