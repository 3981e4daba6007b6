package io.ocicat.datastore.model;

import static io.ocicat.datastore.model.Shape.field;
import static io.ocicat.datastore.model.Shape.struct;
import static io.ocicat.datastore.model.Shape.structs;
import static io.ocicat.datastore.model.Shape.text;
import static io.ocicat.datastore.model.Shape.texts;
import static io.ocicat.datastore.model.Shape.whole;

import java.util.List;
import java.util.stream.Stream;

/** The schema of StagedKubernetesNetworkPolicy: a staged Kubernetes network policy. */
final class StagedKubernetesPolicyFields {
  private static final Shape.Struct LABELS =
      new Shape.Struct(
          field("matchLabels", "Labels that must be there.", ValueRules.TEXTS),
          structs(
              "matchExpressions",
              "Requirements on labels.",
              new Shape.Struct(
                  text("key", "The label.").always().require(),
                  text("operator", "What must hold.").always().require(),
                  texts("values", "The values."))));

  private static final Shape.Struct PEER =
      new Shape.Struct(
          struct("podSelector", "The pods.", LABELS),
          struct("namespaceSelector", "The namespaces.", LABELS),
          struct(
              "ipBlock",
              "A network.",
              new Shape.Struct(
                  text("cidr", "The network.").is(ValueRules.CIDR_WITH_LENGTH).always().require(),
                  texts("except", "Excluded parts of it.").is(ValueRules.CIDR_WITH_LENGTH))));

  private static final Shape.Struct PORT =
      new Shape.Struct(
          text("protocol", "The protocol.").in("TCP", "UDP", "SCTP").ifPresent(),
          field("port", "The port, or its name.", new Shape.Leaf(Shape.Type.WHOLE_OR_TEXT))
              .is(new ValueLimit.Range(0, 65535))
              .ifPresent(),
          whole("endPort", "The last port of a range.", 0, 65535).ifPresent());

  private static final List<Shape.Member> POLICY =
      List.of(
          field("podSelector", "The pods it applies to.", LABELS).always(),
          structs(
              "ingress",
              "What may reach the pods.",
              new Shape.Struct(
                  structs("ports", "At these ports.", PORT), structs("from", "From these.", PEER))),
          structs(
              "egress",
              "What the pods may reach.",
              new Shape.Struct(
                  structs("ports", "At these ports.", PORT), structs("to", "These.", PEER))),
          texts("policyTypes", "The directions it applies to.").items(1, 2).distinct());

  static final Shape.Struct SPEC =
      new Shape.Struct(
              Stream.concat(Stream.of(PolicyFields.STAGED_ACTION), POLICY.stream()).toList(),
              List.of())
          .where(PolicyFields.stagedDelete("Delete has nothing else.", POLICY, ""));

  private StagedKubernetesPolicyFields() {}
}
