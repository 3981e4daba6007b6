package io.ocicat.datastore.model;

import static io.ocicat.datastore.model.Shape.field;
import static io.ocicat.datastore.model.Shape.whole;

import io.ocicat.base.Quoted;
import io.ocicat.base.json.Problems;
import java.util.List;
import java.util.Set;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Fields that endpoints and rules have in common. */
final class EndpointFields {
  private static final Set<String> PROTOCOLS =
      Set.of("TCP", "UDP", "ICMP", "ICMPv6", "SCTP", "UDPLite");
  private static final Set<String> WITH_PORTS = Set.of("TCP", "UDP", "SCTP");
  private static final Set<Integer> WITH_PORTS_BY_NUMBER = Set.of(6, 17, 132);

  static final Shape.Leaf PROTOCOL =
      new Shape.Leaf(
          Shape.Type.WHOLE_OR_TEXT,
          List.of(
              new ValueLimit.Range(1, 255),
              new ValueLimit.Format(
                  "protocol",
                  value ->
                      value.isIntegralNumber() || PROTOCOLS.contains(value.stringValue())
                          ? null
                          : "must be TCP, UDP, ICMP, ICMPv6, SCTP, UDPLite or 1–255, not "
                              + Quoted.brief(value.stringValue()))),
          ValueForm.PROTOCOL);

  private EndpointFields() {}

  static Shape.Member protocol(String name, String description) {
    return field(name, description, PROTOCOL);
  }

  static Shape.Member port(String name, String description) {
    return whole(name, description, 1, 65535).always().require();
  }

  static boolean hasPorts(JsonNode protocol) {
    JsonNode normal = ValueForm.PROTOCOL.normalOrSame(protocol);
    return normal.isIntegralNumber()
        ? WITH_PORTS_BY_NUMBER.contains(normal.asInt())
        : WITH_PORTS.contains(normal.asString(""));
  }

  static final FieldRule PROTOCOL_WITH_PORTS =
      new FieldRule(
          "The protocol has ports.",
          CelRule.isProtocol("protocol", "TCP", "UDP", "SCTP"),
          EndpointFields::checkProtocol);

  private static void checkProtocol(ObjectNode port, String path, Problems problems) {
    if (!hasPorts(port.path("protocol"))) {
      problems.add(path + ".protocol", "has no ports: use TCP, UDP or SCTP");
    }
  }
}
