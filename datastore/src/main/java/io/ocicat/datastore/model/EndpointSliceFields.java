package io.ocicat.datastore.model;

import static io.ocicat.datastore.model.Shape.field;
import static io.ocicat.datastore.model.Shape.flag;
import static io.ocicat.datastore.model.Shape.struct;
import static io.ocicat.datastore.model.Shape.structs;
import static io.ocicat.datastore.model.Shape.text;
import static io.ocicat.datastore.model.Shape.texts;
import static io.ocicat.datastore.model.Shape.whole;

/** The schema of Kubernetes' EndpointSlice, which has no spec. */
final class EndpointSliceFields {
  private static final Shape.Struct NAMED = new Shape.Struct(text("name", "The name.").always());

  private static final Shape.Struct ENDPOINT =
      new Shape.Struct(
          texts("addresses", "Its addresses.").always(),
          field(
                  "conditions",
                  "Whether it can be used.",
                  new Shape.Struct(
                      flag("ready", "Whether it is ready.").ifPresent(),
                      flag("serving", "Whether it serves.").ifPresent(),
                      flag("terminating", "Whether it ends.").ifPresent()))
              .always(),
          text("hostname", "Its name.").ifPresent(),
          struct(
              "targetRef",
              "What it stands for.",
              new Shape.Struct(
                  text("kind", "The kind."),
                  text("namespace", "The namespace."),
                  text("name", "The name."),
                  text("uid", "The unique id."),
                  text("apiVersion", "The version of the kind."),
                  text("resourceVersion", "The version of the object."),
                  text("fieldPath", "The part of the object."))),
          field("deprecatedTopology", "Where it is, in old versions.", ValueRules.TEXTS),
          text("nodeName", "Its node.").ifPresent(),
          text("zone", "Its zone.").ifPresent(),
          struct(
              "hints",
              "Who should use it.",
              new Shape.Struct(
                  structs("forZones", "These zones.", NAMED),
                  structs("forNodes", "These nodes.", NAMED))));

  static final Shape.Struct DOCUMENT =
      MetadataShape.document(
          text("addressType", "The kind of addresses.")
              .in("IPv4", "IPv6", "FQDN")
              .always()
              .require(),
          structs("endpoints", "The endpoints.", ENDPOINT).always(),
          structs(
                  "ports",
                  "The ports of each endpoint.",
                  new Shape.Struct(
                      text("name", "The name of the port.").ifPresent(),
                      text("protocol", "The protocol.")
                          .in("TCP", "UDP", "SCTP")
                          .initially("TCP")
                          .ifPresent(),
                      whole("port", "The number; without it, every port.", 0, 65535).ifPresent(),
                      text("appProtocol", "The protocol of the application.").ifPresent()))
              .always());

  private EndpointSliceFields() {}
}
