package io.ocicat.datastore.model;

import static io.ocicat.datastore.model.Shape.structs;
import static io.ocicat.datastore.model.Shape.text;
import static io.ocicat.datastore.model.Shape.texts;

/** The schema of HostEndpoint: an interface of a node that policies apply to. */
final class HostEndpointFields {
  private static final Shape.Struct PORT =
      new Shape.Struct(
              text("name", "The port's name in policies.").is(ValueRules.PORT).always().require(),
              EndpointFields.protocol("protocol", "The protocol.").always().require(),
              EndpointFields.port("port", "The port."))
          .where(EndpointFields.PROTOCOL_WITH_PORTS);

  static final Shape.Struct SPEC =
      new Shape.Struct(
              text("node", "The node.").max(253).is(ValueRules.NAME).require(),
              text("interfaceName", "The interface; * for all.")
                  .max(15)
                  .is(ValueRules.INTERFACE_NAME),
              texts("expectedIPs", "Addresses by which the interface is found.")
                  .distinct()
                  .is(ValueRules.IP),
              texts("profiles", "Profiles that apply after the policies.")
                  .distinct()
                  .is(ValueRules.NAME),
              structs("ports", "Ports that have names.", PORT))
          .where(FieldRule.anyOf("interfaceName", "expectedIPs"));

  private HostEndpointFields() {}
}
