package io.ocicat.datastore.model;

import static io.ocicat.datastore.model.Shape.field;
import static io.ocicat.datastore.model.Shape.structs;
import static io.ocicat.datastore.model.Shape.text;
import static io.ocicat.datastore.model.Shape.texts;
import static io.ocicat.datastore.model.Shape.whole;

/** The schema of CalicoNodeStatus: which status a node is to report, and its report. */
final class NodeStatusFields {
  private static final int DAY = 86_400;

  private static final Shape.Struct SPEC =
      new Shape.Struct(
          text("node", "The node that reports.").is(ValueRules.NAME).require(),
          texts("classes", "What it reports.").distinct().in("Agent", "BGP", "Routes").require(),
          whole("updatePeriodSeconds", "The interval of reports; 0 for never.", 0, DAY)
              .ifPresent()
              .require());

  private static final Shape.Struct DAEMON =
      new Shape.Struct(
          text("state", "Whether it is ready."),
          text("version", "Its version."),
          text("routerID", "Its router id."),
          text("lastBootTime", "When it started."),
          text("lastReconfigurationTime", "When it was configured."));

  private static final Shape.Struct PEER =
      new Shape.Struct(
          text("peerIP", "The peer's address."),
          text("type", "The source of the peer."),
          text("state", "The state of the session."),
          text("since", "The time of the last change."));

  private static final Shape.Struct ROUTE =
      new Shape.Struct(
          text("type", "Whether it is in the kernel."),
          text("destination", "Where it leads."),
          text("gateway", "The next hop."),
          text("interface", "The interface."),
          field(
                  "learnedFrom",
                  "Where it comes from.",
                  new Shape.Struct(
                      text("sourceType", "The source of the route."),
                      text("peerIP", "The peer's address.")))
              .always());

  private static final Shape.Struct STATUS =
      new Shape.Struct(
          text("lastUpdated", "When the node reported.").orNull(),
          field(
                  "agent",
                  "The BGP daemons.",
                  new Shape.Struct(
                      field("birdV4", "For IPv4.", DAEMON).always(),
                      field("birdV6", "For IPv6.", DAEMON).always()))
              .always(),
          field(
                  "bgp",
                  "The BGP sessions.",
                  new Shape.Struct(
                      count("numberEstablishedV4"),
                      count("numberNotEstablishedV4"),
                      count("numberEstablishedV6"),
                      count("numberNotEstablishedV6"),
                      structs("peersV4", "The IPv4 peers.", PEER),
                      structs("peersV6", "The IPv6 peers.", PEER)))
              .always(),
          field(
                  "routes",
                  "The routes.",
                  new Shape.Struct(
                      structs("routesV4", "The IPv4 routes.", ROUTE),
                      structs("routesV6", "The IPv6 routes.", ROUTE)))
              .always());

  static final Shape.Struct DOCUMENT =
      MetadataShape.document(
          field("spec", "Which status a node reports.", SPEC).always(),
          field("status", "The reported status.", STATUS).always());

  private NodeStatusFields() {}

  private static Shape.Member count(String name) {
    return whole(name, "How many sessions.", 0, Integer.MAX_VALUE).always();
  }
}
