package io.ocicat.datastore.model;

import static io.ocicat.datastore.model.Shape.field;
import static io.ocicat.datastore.model.Shape.struct;
import static io.ocicat.datastore.model.Shape.structs;
import static io.ocicat.datastore.model.Shape.text;
import static io.ocicat.datastore.model.Shape.texts;
import static io.ocicat.datastore.model.Shape.whole;

import io.ocicat.base.Quoted;
import java.util.List;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;

/**
 * The shape of a rule of a policy or a profile. Constraints between its fields are in {@link
 * RuleChecks}.
 */
final class RuleFields {
  private static final Pattern RANGE = Pattern.compile("\\d+:\\d+");
  private static final int MAX_NETS = 256;
  private static final int MAX_PORTS = 50;

  /** A number, a range as in 8080:8090, or the name of an endpoint's port. */
  static final Shape.Leaf PORT =
      new Shape.Leaf(
          Shape.Type.WHOLE_OR_TEXT,
          List.of(
              new ValueLimit.Range(1, 65535),
              new ValueLimit.Format(
                  "port", value -> isPort(value) ? null : notPort(value.stringValue()))),
          ValueForm.PORT);

  private static final Shape.Struct ICMP =
      new Shape.Struct(
              whole("type", "The type.", 0, 254).ifPresent(),
              whole("code", "The code.", 0, 255).ifPresent())
          .where(
              "code needs type.",
              "!has(self.code) || has(self.type)",
              (icmp, path, problems) -> {
                if (icmp.hasNonNull("code") && !icmp.hasNonNull("type")) {
                  problems.add(path + ".code", "needs type: set both or leave out code");
                }
              });

  private static final Shape.Struct ENTITY =
      new Shape.Struct(
              texts("nets", "The networks it is in.")
                  .items(0, MAX_NETS)
                  .distinct()
                  .is(ValueRules.NETWORK)
                  .is(ValueRules.CIDR_WITH_LENGTH),
              selector("selector", "The endpoints and sets it is of."),
              selector("namespaceSelector", "The namespaces it is in; global() for none."),
              struct(
                  "services",
                  "The service it is of.",
                  new Shape.Struct(
                      text("name", "The service.").max(253).is(ValueRules.NAME),
                      text("namespace", "The service's namespace.").max(253).is(ValueRules.NAME))),
              field("ports", "Its ports.", new Shape.ListOf(PORT)).items(0, MAX_PORTS),
              texts("notNets", "The networks it is not in.")
                  .items(0, MAX_NETS)
                  .distinct()
                  .is(ValueRules.NETWORK)
                  .is(ValueRules.CIDR_WITH_LENGTH),
              selector("notSelector", "The endpoints and sets it is not of."),
              field("notPorts", "Ports it does not have.", new Shape.ListOf(PORT))
                  .items(0, MAX_PORTS),
              struct(
                  "serviceAccounts",
                  "The service accounts it runs as.",
                  new Shape.Struct(
                      texts("names", "The service accounts.").distinct(),
                      text("selector", "Labels of service accounts.").is(ValueRules.SELECTOR))))
          .where(FieldRule.noGlobal("selector"), FieldRule.noGlobal("notSelector"))
          .where(
              "global() stands alone.",
              """
              !{namespaceSelector} || !self.namespaceSelector.contains('global(') \
              || self.namespaceSelector.matches('^[ (]*global[(] *[)][ )]*$')""",
              RuleChecks::globalAlone)
          .where(
              "services have a name and stand alone.",
              """
              !has(self.services) || has(self.services.name) && self.services.name != '' \
              && !{selector} && !{notSelector} && !{namespaceSelector} && !{nets} && !{notNets} \
              && !has(self.serviceAccounts)""",
              RuleChecks::servicesAlone);

  private static final Shape.Struct PATH =
      new Shape.Struct(
              text("exact", "The whole path.").max(1024),
              text("prefix", "What the path begins with.").max(1024))
          .where(
              "exact or prefix, a path without ? and #.",
              // Checking every character of so many paths is too expensive for an API server.
              """
              {exact} ? !{prefix} && self.exact.startsWith('/') \
              : {prefix} && self.prefix.startsWith('/')""",
              RuleChecks::path);

  private static final Shape.Struct HTTP =
      new Shape.Struct(
          texts("methods", "The methods.").items(0, 20).distinct(),
          structs("paths", "The paths.", PATH).items(0, 20));

  private static final Shape.Struct RULE =
      new Shape.Struct(
              text("action", "The action on the packet.")
                  .in("Allow", "Deny", "Log", "Pass")
                  .always()
                  .require(),
              field("ipVersion", "The IP version.", new Shape.Leaf(Shape.Type.WHOLE))
                  .in("4", "6")
                  .ifPresent(),
              EndpointFields.protocol("protocol", "The protocol it has.").ifPresent(),
              struct("icmp", "The ICMP message it is.", ICMP),
              EndpointFields.protocol("notProtocol", "The protocol it does not have.").ifPresent(),
              struct("notICMP", "The ICMP message it is not.", ICMP),
              field("source", "Where it comes from.", ENTITY),
              field("destination", "Where it goes.", ENTITY),
              struct("http", "The HTTP request it is.", HTTP),
              struct(
                  "metadata",
                  "Metadata of the rule.",
                  new Shape.Struct(
                      field("annotations", "Annotations, for people.", ValueRules.ANNOTATIONS))))
          .where(
              "ICMP fields need an ICMP protocol.",
              "!has(self.icmp) || " + CelRule.isProtocol("protocol", "ICMP", "ICMPv6"),
              RuleChecks::icmpProtocol)
          .where(
              "ICMP is of IPv4, ICMPv6 of IPv6.",
              """
              !has(self.ipVersion) || (self.ipVersion == 4 || !%s && !%s) \
              && (self.ipVersion == 6 || !%s && !%s)"""
                  .formatted(
                      CelRule.isProtocol("protocol", "ICMP"),
                      CelRule.isProtocol("notProtocol", "ICMP"),
                      CelRule.isProtocol("protocol", "ICMPv6"),
                      CelRule.isProtocol("notProtocol", "ICMPv6")),
              RuleChecks::icmpVersion)
          .where(
              "Ports need a protocol that has ports.",
              RuleChecks.celPortsOfProtocol(),
              RuleChecks::portsOfProtocol)
          .where("Nets are of one IP version.", RuleChecks::oneVersion)
          .where(
              "HTTP is for Allow and TCP.",
              "!has(self.http) || self.action == 'Allow' && (!has(self.protocol) || %s)"
                  .formatted(CelRule.isProtocol("protocol", "TCP")),
              RuleChecks::httpOfAllow)
          .where(
              "Services have their own ports.",
              """
              !has(self.destination) || !has(self.destination.services) \
              || !{destination.ports} && !{destination.notPorts}""",
              RuleChecks::portsOfServices);

  private RuleFields() {}

  static Shape.Member rules(String name, String description) {
    return structs(name, description, RULE);
  }

  static Shape.Member selector(String name, String description) {
    return text(name, description).max(1024).is(ValueRules.SELECTOR);
  }

  private static boolean isPort(JsonNode value) {
    return value.isIntegralNumber()
        || RANGE.matcher(value.stringValue()).matches()
        || ValueRules.portName(value.stringValue());
  }

  private static String notPort(String text) {
    return "must be a port, a range as in 8080:8090 or a port's name, not " + Quoted.brief(text);
  }
}
