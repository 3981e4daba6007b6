package io.ocicat.datastore.model;

import static io.ocicat.datastore.model.Shape.field;
import static io.ocicat.datastore.model.Shape.struct;
import static io.ocicat.datastore.model.Shape.structs;
import static io.ocicat.datastore.model.Shape.text;
import static io.ocicat.datastore.model.Shape.texts;
import static io.ocicat.datastore.model.Shape.whole;

import io.ocicat.base.Quoted;
import io.ocicat.base.json.Problems;
import io.ocicat.ip.IpPrefix;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** The schema of Kubernetes' NetworkPolicy, with the rules and defaults of its API server. */
final class KubernetesPolicyFields {
  private static final Shape.Struct PEER =
      new Shape.Struct(
              struct("podSelector", "The pods.", LabelSelectorFields.SELECTOR),
              struct("namespaceSelector", "The namespaces.", LabelSelectorFields.SELECTOR),
              struct(
                  "ipBlock",
                  "A network.",
                  new Shape.Struct(
                          text("cidr", "The network.")
                              .is(ValueRules.CIDR_WITH_LENGTH)
                              .always()
                              .require(),
                          texts("except", "Excluded parts of it.").is(ValueRules.CIDR_WITH_LENGTH))
                      .where(
                          "Exceptions are parts of the network.", KubernetesPolicyFields::parts)))
          .where("A peer is either selected or a network.", KubernetesPolicyFields::onePeer);

  private static final Shape.Struct PORT =
      new Shape.Struct(
              text("protocol", "The protocol.").in("TCP", "UDP", "SCTP").initially("TCP"),
              field("port", "The port, or its name.", new Shape.Leaf(Shape.Type.WHOLE_OR_TEXT))
                  .is(new ValueLimit.Range(1, 65535))
                  .is(LabelSelectorFields.PORT_OR_NAME)
                  .ifPresent(),
              whole("endPort", "The last port of a range.", 1, 65535).ifPresent())
          .where("A range has a first port and goes up.", KubernetesPolicyFields::range);

  private static final Shape.Struct SPEC =
      new Shape.Struct(
          field("podSelector", "The pods it applies to.", LabelSelectorFields.SELECTOR).always(),
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
          texts("policyTypes", "The directions it applies to.")
              .in("Ingress", "Egress")
              .items(0, 2)
              .distinct());

  static final Shape.Struct DOCUMENT =
      MetadataShape.document("Kubernetes' rules for pods: what they do not allow is denied.", SPEC);

  private KubernetesPolicyFields() {}

  /** The default directions: ingress always, egress when there are rules for it. */
  static void complete(ObjectNode spec) {
    JsonNode types = spec.path("policyTypes");
    if (types.isMissingNode() || types.isNull() || (types.isArray() && types.isEmpty())) {
      ArrayNode filled = spec.putArray("policyTypes").add("Ingress");
      if (!spec.path("egress").isEmpty()) {
        filled.add("Egress");
      }
    }
  }

  private static void onePeer(ObjectNode peer, String path, Problems problems) {
    boolean selects = peer.has("podSelector") || peer.has("namespaceSelector");
    if (peer.has("ipBlock") && selects) {
      problems.add(path + ".ipBlock", "cannot be set together with a selector");
    } else if (!peer.has("ipBlock") && !selects) {
      problems.add(path, "needs podSelector, namespaceSelector or ipBlock");
    }
  }

  private static void parts(ObjectNode block, String path, Problems problems) {
    IpPrefix whole = ValueRules.cidr(block.path("cidr").asString(""));
    JsonNode except = block.path("except");
    for (int i = 0; i < except.size(); i++) {
      String text = except.get(i).asString("");
      Optional<IpPrefix> part = IpPrefix.tryParse(text);
      if (part.isPresent()
          && !(whole.network().contains(part.get().network())
              && part.get().length() > whole.length())) {
        problems.add(
            "%s.except[%d]".formatted(path, i),
            "must be a part of %s, not %s".formatted(whole, Quoted.brief(text)));
      }
    }
  }

  private static void range(ObjectNode port, String path, Problems problems) {
    JsonNode end = port.path("endPort");
    if (!end.isNumber()) {
      return;
    }
    if (!port.path("port").isNumber()) {
      problems.add(path + ".endPort", "needs port to be a number");
    } else if (end.intValue() < port.path("port").intValue()) {
      problems.add(path + ".endPort", "must not be less than port " + port.path("port").intValue());
    }
  }
}
