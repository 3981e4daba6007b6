package io.ocicat.datastore.model;

import static io.ocicat.datastore.model.Shape.field;
import static io.ocicat.datastore.model.Shape.struct;
import static io.ocicat.datastore.model.Shape.structs;
import static io.ocicat.datastore.model.Shape.text;
import static io.ocicat.datastore.model.Shape.texts;
import static io.ocicat.datastore.model.Shape.whole;

import io.ocicat.base.json.Problems;
import java.util.List;
import java.util.regex.Pattern;
import tools.jackson.databind.node.ObjectNode;

/**
 * The schema of BGPFilter: which routes are imported from and exported to peers, and how they are
 * changed.
 */
final class BgpFilterFields {
  private static final int MAX_PRIORITY = 2147483646;
  private static final String NO_LEADING_ZEROS =
      "^(0|[1-9][0-9]*):(0|[1-9][0-9]*)(:(0|[1-9][0-9]*))?$";
  private static final List<String> OPERATIONS =
      List.of("addCommunity", "prependASPath", "setPriority");
  private static final ValueLimit INTERFACE =
      ValueRules.matching(
          "interface pattern",
          Pattern.compile("[a-zA-Z0-9_.*-]{1,15}"),
          "must be 1–15 letters, digits, _, ., - or *");

  private static final Shape.ListOf AS_PATH = new Shape.ListOf(BgpFields.AS_NUMBER);

  private static final Shape.Struct OPERATION =
      new Shape.Struct(
              struct(
                  "addCommunity",
                  "Adds a community to the route.",
                  new Shape.Struct(
                      community(text("value", "The community.").max(32).always().require()))),
              struct(
                  "prependASPath",
                  "Puts AS numbers before the route's path.",
                  new Shape.Struct(
                      field("prefix", "The AS numbers.", AS_PATH).items(1, 10).always().require())),
              struct(
                  "setPriority",
                  "Sets the route's priority.",
                  new Shape.Struct(
                      whole("value", "The priority.", 1, MAX_PRIORITY).always().require())))
          .where(
              "An operation is one of its members.",
              "!(has(self.addCommunity) && (has(self.prependASPath) || has(self.setPriority)))"
                  + " && !(has(self.prependASPath) && has(self.setPriority))",
              BgpFilterFields::oneOperation);

  static final Shape.Struct SPEC =
      new Shape.Struct(
          structs("exportV4", "Rules for IPv4 routes that are advertised.", rule(true)),
          structs("importV4", "Rules for IPv4 routes that are learned.", rule(true)),
          structs("exportV6", "Rules for IPv6 routes that are advertised.", rule(false)),
          structs("importV6", "Rules for IPv6 routes that are learned.", rule(false)));

  private BgpFilterFields() {}

  private static Shape.Struct rule(boolean v4) {
    int bits = v4 ? 32 : 128;
    return new Shape.Struct(
            text("cidr", "The network that is compared with the route.")
                .max(v4 ? 18 : 43)
                .is(v4 ? ValueRules.NETWORK_V4 : ValueRules.NETWORK_V6)
                .is(ValueRules.CIDR_WITH_LENGTH),
            struct(
                "prefixLength",
                "Which lengths the route's prefix may have.",
                new Shape.Struct(
                    whole("min", "The shortest.", 0, bits).ifPresent(),
                    whole("max", "The longest.", 0, bits).ifPresent())),
            text("source", "Where the route comes from.").in("RemotePeers"),
            text("interface", "The interface the route leads through; * for any characters.")
                .max(15)
                .is(INTERFACE),
            text("matchOperator", "How the route is compared with cidr.")
                .in("Equal", "NotEqual", "In", "NotIn"),
            text("peerType", "The kind of session.").in("eBGP", "iBGP"),
            struct(
                "communities",
                "The communities the route must have.",
                new Shape.Struct(
                    community(
                        texts("values", "The communities.")
                            .items(1, 1)
                            .max(32)
                            .always()
                            .require()))),
            field("asPathPrefix", "What the route's AS path must begin with.", AS_PATH),
            whole("priority", "The priority the route must have.", 1, MAX_PRIORITY).ifPresent(),
            text("action", "The action on the route.").in("Accept", "Reject").always().require(),
            structs("operations", "How an accepted route is changed.", OPERATION).items(1, 10))
        .where(
            FieldRule.needs("cidr", "matchOperator"),
            FieldRule.needs("matchOperator", "cidr"),
            FieldRule.needs("prefixLength", "cidr"))
        .where(
            "operations are for Accept only.",
            "!{operations} || self.action == 'Accept'",
            BgpFilterFields::operationsOfAccept);
  }

  private static Shape.Member community(Shape.Member member) {
    return member
        .matches(NO_LEADING_ZEROS, "must be a community, as in 64512:100 or 64512:1:2")
        .is(BgpFields.COMMUNITY_VALUE);
  }

  private static void operationsOfAccept(ObjectNode rule, String path, Problems problems) {
    if (FieldRule.isSet(rule, "operations") && !rule.path("action").asString("").equals("Accept")) {
      problems.add(path + ".operations", "can be set only with action Accept");
    }
  }

  private static void oneOperation(ObjectNode operation, String path, Problems problems) {
    List<String> given = OPERATIONS.stream().filter(operation::has).toList();
    if (given.size() > 1) {
      problems.add(
          path,
          "must be one operation, not %s: make it several".formatted(String.join(", ", given)));
    }
  }
}
