package io.ocicat.datastore.model;

import static io.ocicat.datastore.model.Shape.duration;
import static io.ocicat.datastore.model.Shape.field;
import static io.ocicat.datastore.model.Shape.text;
import static io.ocicat.datastore.model.Shape.whole;

import io.ocicat.base.json.Problems;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The schema of FelixConfiguration: its two hundred fields are a table, read by {@link FieldTable}.
 */
final class FelixConfigurationFields {
  private static final long MAX_TABLE = 0xffff_ffffL;
  private static final int MAX_TABLES = 0xffff;

  private static final ValueLimit TIMEOUT =
      new ValueLimit.Matches(
          Pattern.compile("^(([0-9]*(\\.[0-9]*)?(ms|s|h|m|us)+)+|Auto)$"),
          "must be a duration as in 90s, or Auto");

  static final Shape.Struct PROTO_PORT =
      new Shape.Struct(
          text("protocol", "The protocol.").is(ValueLimit.anyCase(List.of("TCP", "UDP", "SCTP"))),
          whole("port", "The port.", 0, 65535).always().require(),
          text("net", "The network on the other side.").is(ValueRules.CIDR));

  static final Shape.Struct TIMEOUT_OVERRIDE =
      new Shape.Struct(
              text("name", "The part of Felix.")
                  .matches("^[a-zA-Z0-9_ -]+$", "must be letters, digits, _, - and spaces")
                  .always()
                  .require(),
              duration("timeout", "How long it may take.").always().require())
          .where(
              "No timeout is negative.",
              "!self.timeout.startsWith('-')",
              (override, path, problems) -> {
                if (override.path("timeout").asString("").startsWith("-")) {
                  problems.add(path + ".timeout", "must not be negative");
                }
              });

  static final Shape.Struct CONNTRACK_TIMEOUTS =
      new Shape.Struct(
          Stream.of(
                  "creationGracePeriod",
                  "tcpSynSent",
                  "tcpEstablished",
                  "tcpFinsSeen",
                  "tcpResetSeen",
                  "udpTimeout",
                  "genericTimeout",
                  "icmpTimeout")
              .map(name -> text(name, "When such a connection is over.").is(TIMEOUT).ifPresent())
              .toArray(Shape.Member[]::new));

  static final Shape.Struct TABLE_RANGE =
      new Shape.Struct(
              whole("min", "The first table.", 1, 250).always().require(),
              whole("max", "The last table.", 1, 250).always().require())
          .where(
              "min is not beyond max.", "self.min <= self.max", FelixConfigurationFields::ordered);

  static final Shape.Struct TABLE_ID_RANGE =
      new Shape.Struct(
              whole("min", "The first table.", 1, MAX_TABLE).always().require(),
              whole("max", "The last table.", 1, MAX_TABLE).always().require())
          .where(
              "min is not beyond max.", "self.min <= self.max", FelixConfigurationFields::ordered);

  private static final Shape.Struct SPEC =
      new Shape.Struct(FieldTable.read("felixconfiguration.fields"), List.of())
          .where(FieldRule.notBoth("routeTableRange", "routeTableRanges"))
          .where(
              "At most 65535 tables.",
              "!has(self.routeTableRanges) || self.routeTableRanges"
                  + ".map(range, range.max - range.min + 1).sum() <= 65535",
              FelixConfigurationFields::tables);

  static final Shape.Struct DOCUMENT =
      MetadataShape.document(field("spec", "How Felix works.", SPEC).always())
          .where(
              "No nodeSelector in default and node.….",
              "!{?spec.nodeSelector} || !(self.metadata.name == 'default' ||"
                  + " self.metadata.name.startsWith('node.'))",
              FelixConfigurationFields::selectorElsewhere);

  private FelixConfigurationFields() {}

  /** Fills in what Calico's client does, beyond the defaults of the fields. */
  static void complete(ObjectNode spec) {
    fill(spec, "floatingIPs", "Disabled");
    fill(spec, "bpfConnectTimeLoadBalancing", "TCP");
    fill(spec, "bpfHostNetworkedNATWithoutCTLB", "Enabled");
    JsonNode old = spec.path("bpfConnectTimeLoadBalancingEnabled");
    if (old.isBoolean()) {
      spec.put("bpfHostNetworkedNATWithoutCTLB", "Disabled");
      spec.put("bpfConnectTimeLoadBalancing", old.booleanValue() ? "Enabled" : "Disabled");
    }
  }

  private static void fill(ObjectNode spec, String name, String value) {
    if (spec.path(name).isMissingNode() || spec.path(name).isNull()) {
      spec.put(name, value);
    }
  }

  private static void ordered(ObjectNode range, String path, Problems problems) {
    if (range.path("min").asLong(0) > range.path("max").asLong(0)) {
      problems.add(path + ".min", "must not be greater than max");
    }
  }

  private static void tables(ObjectNode spec, String path, Problems problems) {
    long count = 0;
    for (JsonNode range : spec.path("routeTableRanges").values()) {
      count += range.path("max").asLong(0) - range.path("min").asLong(0) + 1;
    }
    if (count > MAX_TABLES) {
      problems.add(
          path + ".routeTableRanges",
          "must be at most %d tables in all, not %d".formatted(MAX_TABLES, count));
    }
  }

  private static void selectorElsewhere(ObjectNode document, String path, Problems problems) {
    String name = document.at("/metadata/name").asString("");
    if ((name.equals("default") || name.startsWith("node."))
        && document.path("spec").has("nodeSelector")) {
      problems.add("spec.nodeSelector", "cannot be set in default or node.…");
    }
  }
}
