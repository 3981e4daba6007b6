package io.ocicat.datastore.model;

import static io.ocicat.datastore.model.Shape.field;
import static io.ocicat.datastore.model.Shape.struct;
import static io.ocicat.datastore.model.Shape.structs;
import static io.ocicat.datastore.model.Shape.text;
import static io.ocicat.datastore.model.Shape.texts;
import static io.ocicat.datastore.model.Shape.whole;

import io.ocicat.base.json.Problems;
import java.util.List;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** The schema of Kubernetes' ClusterNetworkPolicy, v1alpha2, with the rules of its definition. */
final class ClusterPolicyFields {
  private static final int MOST = 25;
  private static final List<String> WITHOUT_NAMED_PORTS =
      List.of("networks", "nodes", "domainNames");

  private static final Shape.Struct PODS =
      new Shape.Struct(
          field("namespaceSelector", "Their namespaces.", LabelSelectorFields.SELECTOR).always(),
          field("podSelector", "The pods.", LabelSelectorFields.SELECTOR).always());

  private static final List<Shape.Member> PEER =
      List.of(
          struct("namespaces", "All pods of namespaces.", LabelSelectorFields.SELECTOR),
          struct("pods", "Pods of namespaces.", PODS));

  private static final Shape.Struct EGRESS_PEER =
      oneOf(
          "A peer",
          Stream.concat(
                  PEER.stream(),
                  Stream.of(
                      struct("nodes", "Nodes.", LabelSelectorFields.SELECTOR),
                      texts("networks", "Networks.")
                          .is(ValueRules.CIDR_WITH_LENGTH)
                          .items(1, MOST)
                          .distinct(),
                      texts("domainNames", "Names in the DNS.").items(1, MOST).distinct()))
              .toList());

  private static final Shape.Struct RANGE =
      new Shape.Struct(
              whole("start", "The first port.", 1, 65535).always().require(),
              whole("end", "The last port.", 1, 65535).always().require())
          .where("A range goes up.", ClusterPolicyFields::up);

  private static final Shape.Struct PORTS =
      new Shape.Struct(
          struct(
              "destinationPort",
              "The ports.",
              oneOf(
                  "A port",
                  List.of(
                      whole("number", "One port.", 1, 65535),
                      struct("range", "Several.", RANGE)))));

  private static final Shape.Struct PROTOCOL =
      oneOf(
          "A protocol",
          List.of(
              struct("tcp", "TCP.", PORTS),
              struct("udp", "UDP.", PORTS),
              struct("sctp", "SCTP.", PORTS),
              text("destinationNamedPort", "The name of a port of the pods.")));

  private static final Shape.Struct SPEC =
      new Shape.Struct(
          text("tier", "Before or after the policies of namespaces.")
              .in("Admin", "Baseline")
              .always()
              .require(),
          whole("priority", "Lower ones come first.", 0, 1000).always().require(),
          field("subject", "The pods it applies to.", oneOf("A subject", PEER)).always().require(),
          structs(
                  "ingress",
                  "Rules for what reaches the pods.",
                  rule("from", oneOf("A peer", PEER)))
              .items(0, MOST),
          structs(
                  "egress",
                  "Rules for what the pods reach.",
                  rule("to", EGRESS_PEER)
                      .where("Only pods have named ports.", ClusterPolicyFields::namedPortsOfPods))
              .items(0, MOST));

  static final Shape.Struct DOCUMENT =
      MetadataShape.document(
          field("spec", "Kubernetes' rules for pods of the whole cluster.", SPEC).always(),
          struct("status", "What became of it.", MetadataShape.CONDITIONS));

  private ClusterPolicyFields() {}

  private static Shape.Struct rule(String peers, Shape.Struct peer) {
    return new Shape.Struct(
        text("name", "For messages.").max(100),
        text("action", "What happens.").in("Accept", "Deny", "Pass").always().require(),
        structs(peers, "The other side.", peer).items(1, MOST).always().require(),
        structs("protocols", "Protocols and ports.", PROTOCOL).items(1, MOST));
  }

  /** Members that this version does not know do not count. */
  private static Shape.Struct oneOf(String what, List<Shape.Member> members) {
    return new Shape.Struct(members, List.of())
        .where(
            what + " has exactly one member.",
            (object, path, problems) -> {
              long given = members.stream().filter(member -> object.has(member.name())).count();
              if (given != 1) {
                problems.add(path, "must have exactly one member, not " + given);
              }
            });
  }

  private static void up(ObjectNode range, String path, Problems problems) {
    if (range.path("start").intValue() >= range.path("end").intValue()) {
      problems.add(path + ".end", "must be greater than start");
    }
  }

  private static void namedPortsOfPods(ObjectNode rule, String path, Problems problems) {
    boolean named =
        rule.path("protocols").valueStream().anyMatch(it -> it.has("destinationNamedPort"));
    boolean others =
        rule.path("to")
            .valueStream()
            .anyMatch((JsonNode peer) -> WITHOUT_NAMED_PORTS.stream().anyMatch(peer::has));
    if (named && others) {
      problems.add(path + ".protocols", "cannot name a port: only pods have named ports");
    }
  }
}
