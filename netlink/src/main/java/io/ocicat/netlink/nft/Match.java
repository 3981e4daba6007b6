package io.ocicat.netlink.nft;

import static io.ocicat.netlink.nft.Register.R1;

import io.ocicat.ip.IpPrefix;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/**
 * The conditions of a rule. The general ones take a {@link PacketField}; the others are those that
 * container networks need, named by their meaning.
 */
public final class Match {
  private Match() {}

  public static Clause eq(PacketField field, Value value) {
    return compare(field, Comparison.EQ, value);
  }

  public static Clause ne(PacketField field, Value value) {
    return compare(field, Comparison.NEQ, value);
  }

  public static Clause compare(PacketField field, Comparison comparison, Value value) {
    checkType(field, value);
    boolean ordering = comparison != Comparison.EQ && comparison != Comparison.NEQ;
    return Clause.Phrase.of(
        field + operator(comparison) + value,
        rule -> {
          rule.load(field);
          Bytes bytes = ordering ? comparable(rule, field, value) : value.bytes();
          rule.add(new Expression.Compare(R1, comparison, bytes));
          if (comparison == Comparison.EQ) {
            noteLayer(rule, field, value);
          }
        });
  }

  /** Both ends belong to the range. */
  public static Clause between(PacketField field, Value first, Value last) {
    checkType(field, first);
    checkType(field, last);
    return Clause.Phrase.of(
        "%s %s-%s".formatted(field, first, last),
        rule -> {
          rule.load(field);
          Bytes from = comparable(rule, field, first);
          rule.add(new Expression.Compare(R1, Comparison.GTE, from));
          rule.add(new Expression.Compare(R1, Comparison.LTE, last.bigEndianBytes()));
        });
  }

  public static Clause notBetween(PacketField field, Value first, Value last) {
    checkType(field, first);
    checkType(field, last);
    return Clause.Phrase.of(
        "%s != %s-%s".formatted(field, first, last),
        rule -> {
          rule.load(field);
          Bytes from = comparable(rule, field, first);
          rule.add(new Expression.Range(R1, true, from, last.bigEndianBytes()));
        });
  }

  public static Clause within(PacketField field, IpPrefix prefix) {
    return prefix(field, Comparison.EQ, prefix);
  }

  public static Clause notWithin(PacketField field, IpPrefix prefix) {
    return prefix(field, Comparison.NEQ, prefix);
  }

  private static Clause prefix(PacketField field, Comparison comparison, IpPrefix prefix) {
    if (prefix.length() == prefix.address().bitLength()) {
      return compare(field, comparison, Value.address(prefix.address()));
    }
    Value network = Value.address(prefix.first());
    checkType(field, network);
    Value mask = Value.address(prefix.mask());
    return Clause.Phrase.of(
        field + operator(comparison) + prefix.network(),
        rule -> {
          field.needs().forEach(rule::require);
          int whole = prefix.length() / 8;
          if (prefix.length() % 8 == 0 && whole > 0 && !field.isMasked()) {
            // Whole bytes need no mask: compare fewer of them, as nft does.
            rule.add(field.loadFirst(whole, R1));
            rule.add(new Expression.Compare(R1, comparison, network.bytes().slice(0, whole)));
          } else {
            rule.load(field);
            mask(rule, mask.bytes());
            rule.add(new Expression.Compare(R1, comparison, network.bytes()));
          }
        });
  }

  /** Whether these bits of a number have these values, as in {@code meta mark & 0xf0 == 0x10}. */
  public static Clause masked(PacketField field, int mask, int value) {
    return masked(field, mask, Comparison.EQ, value);
  }

  public static Clause notMasked(PacketField field, int mask, int value) {
    return masked(field, mask, Comparison.NEQ, value);
  }

  private static Clause masked(PacketField field, int mask, Comparison comparison, int value) {
    Value bits = Value.number(field.type(), Integer.toUnsignedLong(mask));
    Value wanted = Value.number(field.type(), Integer.toUnsignedLong(value));
    return Clause.Phrase.of(
        "%s & %s %s %s".formatted(field, bits, comparison.word(), wanted),
        rule -> {
          rule.load(field);
          mask(rule, bits.bytes());
          rule.add(new Expression.Compare(R1, comparison, wanted.bytes()));
        });
  }

  /** Whether the concatenated fields are in the set. */
  public static Clause in(NamedSet set, PacketField... fields) {
    return lookup(set, false, fields);
  }

  public static Clause notIn(NamedSet set, PacketField... fields) {
    return lookup(set, true, fields);
  }

  private static Clause lookup(NamedSet set, boolean inverted, PacketField... fields) {
    List<PacketField> key = checkKey(set, fields);
    return Clause.Phrase.of(
        PacketField.text(fields) + (inverted ? " != @" : " @") + set.id().name(),
        rule -> {
          rule.load(key);
          rule.add(new Expression.Lookup(set.id().name(), R1, inverted));
        });
  }

  /** From an address of the prefix, IPv4 or IPv6. */
  public static Clause source(IpPrefix prefix) {
    return within(prefix.isV4() ? PacketField.IP_SADDR : PacketField.IP6_SADDR, prefix);
  }

  public static Clause notSource(IpPrefix prefix) {
    return notWithin(prefix.isV4() ? PacketField.IP_SADDR : PacketField.IP6_SADDR, prefix);
  }

  /** To an address of the prefix, IPv4 or IPv6. */
  public static Clause destination(IpPrefix prefix) {
    return within(prefix.isV4() ? PacketField.IP_DADDR : PacketField.IP6_DADDR, prefix);
  }

  public static Clause notDestination(IpPrefix prefix) {
    return notWithin(prefix.isV4() ? PacketField.IP_DADDR : PacketField.IP6_DADDR, prefix);
  }

  public static Clause l4proto(L4Protocol protocol) {
    return eq(PacketField.L4PROTO, Value.protocol(protocol));
  }

  /** To this port by this protocol, which must be TCP, UDP or SCTP. */
  public static Clause destinationPort(L4Protocol protocol, int port) {
    PacketField field =
        switch (protocol) {
          case TCP -> PacketField.TCP_DPORT;
          case UDP -> PacketField.UDP_DPORT;
          case SCTP -> PacketField.SCTP_DPORT;
          case ICMP, IPIP, ICMPV6, DCCP, UDPLITE ->
              throw new IllegalArgumentException(
                  "no ports of " + protocol.word() + ": use tcp, udp or sctp");
        };
    return eq(field, Value.port(port));
  }

  public static Clause inInterface(String name) {
    return eq(PacketField.IIFNAME, Value.interfaceName(name));
  }

  public static Clause outInterface(String name) {
    return eq(PacketField.OIFNAME, Value.interfaceName(name));
  }

  /** Arrived through an interface whose name starts with this, as in {@code iifname "veth*"}. */
  public static Clause inInterfacePrefix(String start) {
    return namePrefix(PacketField.IIFNAME, Comparison.EQ, start);
  }

  public static Clause outInterfacePrefix(String start) {
    return namePrefix(PacketField.OIFNAME, Comparison.EQ, start);
  }

  public static Clause notOutInterfacePrefix(String start) {
    return namePrefix(PacketField.OIFNAME, Comparison.NEQ, start);
  }

  private static Clause namePrefix(PacketField field, Comparison comparison, String start) {
    Value name = Value.interfaceName(start);
    int length = start.getBytes(StandardCharsets.UTF_8).length;
    return Clause.Phrase.of(
        "%s%s\"%s*\"".formatted(field, operator(comparison), start),
        rule -> {
          rule.load(field);
          rule.add(new Expression.Compare(R1, comparison, name.bytes().slice(0, length)));
        });
  }

  /** One of these states, as in {@code ct state established,related}. */
  public static Clause state(CtState... states) {
    return anyBit(PacketField.CT_STATE, Symbol.sum(states));
  }

  /** One of these, as in {@code ct status dnat}. */
  public static Clause status(CtStatus... status) {
    return anyBit(PacketField.CT_STATUS, Symbol.sum(status));
  }

  private static Clause anyBit(PacketField field, int bits) {
    Value mask = Value.number(field.type(), bits);
    return Clause.Phrase.of(
        field + " " + mask,
        rule -> {
          rule.load(field);
          mask(rule, mask.bytes());
          rule.add(new Expression.Compare(R1, Comparison.NEQ, Bytes.zeros(field.type().size())));
        });
  }

  /** To an address of this machine: {@code fib daddr type local}. */
  public static Clause toThisMachine() {
    return eq(
        PacketField.fibType(FibFlag.DADDR),
        Value.number(DataType.FIB_ADDRTYPE, AddressType.LOCAL.number()));
  }

  static List<PacketField> checkKey(NamedSet set, PacketField... fields) {
    List<DataType> types = Arrays.stream(fields).map(PacketField::type).toList();
    if (!types.equals(set.key().types())) {
      throw new IllegalArgumentException(
          "\"%s\" is no key of %s".formatted(PacketField.text(fields), set));
    }
    return List.of(fields);
  }

  private static void checkType(PacketField field, Value value) {
    if (field.type() != value.type()) {
      throw new IllegalArgumentException(
          "\"%s\" is of type %s, %s is of type %s"
              .formatted(field, field.type(), value, value.type()));
    }
  }

  /**
   * A register is compared byte by byte, so numbers in the machine's order are byte-swapped first.
   */
  private static Bytes comparable(RuleAssembly rule, PacketField field, Value value) {
    int size = field.type().size();
    if (field.type() == DataType.IFNAME) {
      throw new IllegalArgumentException("there is no order among the values of " + field);
    }
    if (!field.type().isBigEndian() && size > 1) {
      rule.add(new Expression.ByteSwap(R1, R1, true, size, size));
    }
    return value.bigEndianBytes();
  }

  private static void mask(RuleAssembly rule, Bytes mask) {
    rule.add(new Expression.Bitwise(R1, R1, mask, Bytes.zeros(mask.length())));
  }

  /** A rule that already tests the protocol itself does not need the implicit test. */
  private static void noteLayer(RuleAssembly rule, PacketField field, Value value) {
    if (field == PacketField.NFPROTO) {
      rule.establish(value.number() == TableFamily.IP.number() ? Layer.IPV4 : Layer.IPV6);
    } else if (field == PacketField.PROTOCOL || field == PacketField.ETHER_TYPE) {
      Layer.find(Layer.Level.NETWORK, value.number()).ifPresent(rule::establish);
    } else if (field == PacketField.L4PROTO || field == PacketField.IP_PROTOCOL) {
      Layer.find(Layer.Level.TRANSPORT, value.number()).ifPresent(rule::establish);
    }
  }

  private static String operator(Comparison comparison) {
    return comparison == Comparison.EQ ? " " : " " + comparison.word() + " ";
  }
}
