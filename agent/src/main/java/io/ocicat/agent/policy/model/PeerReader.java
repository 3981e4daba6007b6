package io.ocicat.agent.policy.model;

import io.ocicat.agent.filter.PortRange;
import io.ocicat.base.Quoted;
import io.ocicat.datastore.selector.Selector;
import io.ocicat.ip.IpPrefix;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;

/** Reads source or destination of one of Calico's rules. */
final class PeerReader {
  private static final Set<String> FIELDS =
      Set.of(
          "nets",
          "notNets",
          "selector",
          "notSelector",
          "namespaceSelector",
          "serviceAccounts",
          "ports",
          "notPorts",
          "services");
  private static final Pattern NUMBERS = Pattern.compile("(\\d{1,5})(?::(\\d{1,5}))?");
  private static final Pattern NAME = Pattern.compile("[a-zA-Z0-9_.-]{1,128}");

  private final StrictFields fields;
  private final String namespace;

  /**
   * @param namespace of the policy; empty for a policy of all namespaces and for a profile
   */
  PeerReader(StrictFields fields, String namespace) {
    this.fields = fields;
    this.namespace = namespace;
  }

  RulePeer read(OptionalInt protocol, boolean destination) {
    fields.rejectOthers(FIELDS);
    List<IpPrefix> nets = fields.networks("nets");
    List<IpPrefix> notNets = fields.networks("notNets");
    Optional<ServiceName> service = service(destination);
    Ports ports = ports("ports", protocol);
    Ports notPorts = ports("notPorts", protocol);
    Optional<Selector> negated = plainSelector("notSelector");
    List<Selector> terms = terms(negated.isPresent());
    boolean selects = !terms.isEmpty();
    if (selects) {
      negated.ifPresent(not -> terms.add(new Selector.Not(not)));
    }
    return new RulePeer(
        nets,
        notNets,
        selects ? Optional.of(PolicyLabels.and(terms)) : Optional.empty(),
        selects ? Optional.empty() : negated,
        ports.numbers(),
        ports.names(),
        notPorts.numbers(),
        notPorts.names(),
        service);
  }

  /** What must hold of the labels of an endpoint or network set; empty when nothing is selected. */
  private List<Selector> terms(boolean negated) {
    Optional<Selector> namespaces = fields.selector("namespaceSelector");
    Optional<Selector> selector = plainSelector("selector");
    StrictFields accounts = fields.child("serviceAccounts");
    List<String> names = accounts.texts("names");
    Optional<Selector> accountSelector = accounts.selector("selector");
    accountSelector.ifPresent(found -> rejectGlobal("serviceAccounts.selector", found));
    List<Selector> terms = new ArrayList<>();
    if (namespaces.isPresent()) {
      terms.add(namespaceTerm(namespaces.get()));
    } else if (!namespace.isEmpty()
        && (selector.isPresent() || negated || !names.isEmpty() || accountSelector.isPresent())) {
      terms.add(PolicyLabels.inNamespace(namespace));
    }
    if (!names.isEmpty()) {
      terms.add(PolicyLabels.asServiceAccount(names));
    }
    accountSelector.map(PolicyLabels::ofServiceAccount).ifPresent(terms::add);
    selector.ifPresent(terms::add);
    return terms;
  }

  private Selector namespaceTerm(Selector namespaces) {
    if (namespaces instanceof Selector.Global) {
      return new Selector.Not(new Selector.Has(PolicyLabels.NAMESPACE));
    }
    if (PolicyLabels.hasGlobal(namespaces)) {
      throw new IllegalArgumentException(
          fields.path("namespaceSelector") + " must not combine global() with anything else");
    }
    return PolicyLabels.ofNamespace(namespaces);
  }

  private Optional<Selector> plainSelector(String field) {
    Optional<Selector> selector = fields.selector(field);
    selector.ifPresent(found -> rejectGlobal(field, found));
    return selector;
  }

  private void rejectGlobal(String field, Selector selector) {
    if (PolicyLabels.hasGlobal(selector)) {
      throw new IllegalArgumentException(
          fields.path(field) + " must not contain global(): only a namespaceSelector may");
    }
  }

  private Optional<ServiceName> service(boolean destination) {
    if (!fields.has("services")) {
      return Optional.empty();
    }
    for (String other : FIELDS) {
      boolean isPort = other.equals("ports") || other.equals("notPorts");
      if (!other.equals("services") && (!isPort || destination) && isGiven(other)) {
        throw new IllegalArgumentException(
            fields.path(other) + " cannot be combined with services");
      }
    }
    StrictFields service = fields.child("services");
    String name = service.text("name");
    String ofService = service.text("namespace");
    String inNamespace = ofService.isEmpty() ? namespace : ofService;
    if (name.isEmpty() || inNamespace.isEmpty()) {
      throw new IllegalArgumentException(
          "%s needs %s"
              .formatted(fields.path("services"), name.isEmpty() ? "a name" : "a namespace"));
    }
    return Optional.of(new ServiceName(inNamespace, name));
  }

  private boolean isGiven(String field) {
    return switch (field) {
      case "nets", "notNets", "ports", "notPorts" -> !fields.items(field).isEmpty();
      case "serviceAccounts" -> fields.has(field);
      default -> !fields.text(field).isEmpty();
    };
  }

  private record Ports(List<PortRange> numbers, List<String> names) {}

  private Ports ports(String field, OptionalInt protocol) {
    List<PortRange> numbers = new ArrayList<>();
    List<String> names = new ArrayList<>();
    for (JsonNode item : fields.items(field)) {
      String text = item.asString("");
      Matcher range = NUMBERS.matcher(text);
      if (range.matches()) {
        int first = Integer.parseInt(range.group(1));
        String last = range.group(2);
        numbers.add(range(field, first, last == null ? first : Integer.parseInt(last)));
      } else if (item.isString() && NAME.matcher(text).matches() && !text.matches("\\d+")) {
        names.add(text);
      } else {
        throw new IllegalArgumentException(
            "%s must contain ports, ranges of ports or their names, not %s"
                .formatted(fields.path(field), Quoted.brief(item.asString(item.toString()))));
      }
    }
    boolean wrong =
        protocol.isPresent()
            ? !Protocols.hasPorts(protocol.getAsInt()) && !(numbers.isEmpty() && names.isEmpty())
            : !numbers.isEmpty();
    if (wrong) {
      throw new IllegalArgumentException(
          fields.path(field) + " need a protocol that has ports: TCP, UDP or SCTP");
    }
    return new Ports(numbers, names);
  }

  private PortRange range(String field, int first, int last) {
    try {
      return new PortRange(first, last);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("%s: %s".formatted(fields.path(field), e.getMessage()), e);
    }
  }
}
