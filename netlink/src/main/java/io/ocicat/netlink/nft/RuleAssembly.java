package io.ocicat.netlink.nft;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * Combines the clauses of one rule into expressions. It tracks what the rule has already checked,
 * so that the check for TCP, say, comes once and before the first port.
 */
final class RuleAssembly {
  private final TableFamily family;
  private final List<Expression> expressions = new ArrayList<>();
  private final Map<Layer.Level, Layer> known = new EnumMap<>(Layer.Level.class);

  private RuleAssembly(TableFamily family) {
    this.family = family;
    switch (family) {
      case IP -> establish(Layer.IPV4);
      case IP6 -> establish(Layer.IPV6);
      case ARP -> establish(Layer.ARP);
      case BRIDGE -> establish(Layer.ETHERNET);
      case INET, NETDEV -> {}
    }
  }

  static List<Expression> assemble(TableFamily family, List<Clause> clauses) {
    RuleAssembly rule = new RuleAssembly(family);
    for (Clause clause : clauses) {
      switch (clause) {
        case Expression expression -> rule.add(expression);
        case Clause.Phrase phrase -> phrase.addTo(rule);
      }
    }
    return List.copyOf(rule.expressions);
  }

  TableFamily family() {
    return family;
  }

  boolean knowsTransport() {
    return known.containsKey(Layer.Level.TRANSPORT);
  }

  boolean knows(Layer layer) {
    return known.get(layer.level()) == layer;
  }

  void add(Expression expression) {
    expressions.add(expression);
  }

  /** Records that packets that get this far are of this kind. */
  void establish(Layer layer) {
    known.put(layer.level(), layer);
  }

  /** Ensures that only packets of this kind continue. */
  void require(Layer layer) {
    Layer other = known.get(layer.level());
    if (other == layer) {
      return;
    }
    if (other != null) {
      throw new IllegalArgumentException(
          "%s never matches in a rule of family %s about %s packets"
              .formatted(layer, family, other));
    }
    switch (layer.level()) {
      case LINK -> check(PacketField.IIFTYPE, layer.number());
      case NETWORK -> requireNetwork(layer);
      case TRANSPORT -> check(PacketField.L4PROTO, layer.number());
    }
    establish(layer);
  }

  private void requireNetwork(Layer layer) {
    switch (family) {
      case INET -> {
        if (layer == Layer.ARP) {
          throw new IllegalArgumentException("a table of family inet sees no arp packets");
        }
        check(
            PacketField.NFPROTO, (layer == Layer.IPV4 ? TableFamily.IP : TableFamily.IP6).number());
      }
      case BRIDGE ->
          check(layer == Layer.ARP ? PacketField.ETHER_TYPE : PacketField.PROTOCOL, layer.number());
      case NETDEV -> check(PacketField.PROTOCOL, layer.number());
      case IP, IP6, ARP -> throw new AssertionError("the family says what the packets are");
    }
  }

  private void check(PacketField field, int number) {
    Value value = Value.number(field.type(), number);
    field.load(Register.R1).forEach(this::add);
    add(new Expression.Compare(Register.R1, Comparison.EQ, value.bytes()));
  }

  /** Loads the fields next to each other, beginning with the first register. */
  void load(List<PacketField> fields) {
    fields.forEach(field -> field.needs().forEach(this::require));
    Register to = Register.R1;
    for (PacketField field : fields) {
      field.load(to).forEach(this::add);
      if (field != fields.getLast()) {
        to = to.after(field.type().size());
      }
    }
  }

  void load(PacketField field) {
    load(List.of(field));
  }
}
