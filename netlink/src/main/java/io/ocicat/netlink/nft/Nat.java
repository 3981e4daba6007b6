package io.ocicat.netlink.nft;

import static io.ocicat.netlink.nft.Register.R1;
import static io.ocicat.netlink.nft.Register.R2;
import static io.ocicat.netlink.nft.Register.R3;
import static io.ocicat.netlink.nft.Register.R4;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Statements that translate addresses. They end a rule, and belong in chains of type nat. */
public final class Nat {
  private Nat() {}

  /** Translates the source to the address of the outgoing interface. */
  public static Clause masquerade(NatFlag... flags) {
    return masquerade(NatRange.Ports.KEEP, flags);
  }

  /** The same with one of these ports; the rule must match a protocol that has ports. */
  public static Clause masquerade(NatRange.Ports ports, NatFlag... flags) {
    return Clause.Phrase.of(
        "masquerade" + target(ports) + text(flags),
        rule -> {
          List<Register> registers = new Loading(rule).load(ports);
          rule.add(new Expression.Masquerade(registers, Set.of(flags)));
        });
  }

  /** Redirects connections to this machine. */
  public static Clause redirect(NatFlag... flags) {
    return redirect(NatRange.Ports.KEEP, flags);
  }

  public static Clause redirect(NatRange.Ports ports, NatFlag... flags) {
    return Clause.Phrase.of(
        "redirect" + target(ports) + text(flags),
        rule -> {
          List<Register> registers = new Loading(rule).load(ports);
          rule.add(new Expression.Redirect(registers, Set.of(flags)));
        });
  }

  public static Clause snat(NatRange to, NatFlag... flags) {
    return translate(NatKind.SNAT, "snat", to, flags);
  }

  public static Clause dnat(NatRange to, NatFlag... flags) {
    return translate(NatKind.DNAT, "dnat", to, flags);
  }

  /**
   * The address, and port if the map has one, that the map contains for the concatenated fields.
   */
  public static Clause snat(NamedSet map, List<PacketField> key, NatFlag... flags) {
    return translate(NatKind.SNAT, "snat", map, key, flags);
  }

  public static Clause dnat(NamedSet map, List<PacketField> key, NatFlag... flags) {
    return translate(NatKind.DNAT, "dnat", map, key, flags);
  }

  private static Clause translate(NatKind kind, String verb, NatRange to, NatFlag... flags) {
    TableFamily family = to.isV4() ? TableFamily.IP : TableFamily.IP6;
    return Clause.Phrase.of(
        "%s %s to %s%s".formatted(verb, family, to, text(flags)),
        rule -> {
          checkFamily(rule, family, verb + " to " + to);
          Loading loading = new Loading(rule);
          List<Register> addresses = loading.load(to);
          List<Register> ports = loading.load(to.ports());
          rule.add(new Expression.Nat(kind, family, addresses, ports, Set.of(flags)));
        });
  }

  private static Clause translate(
      NatKind kind, String verb, NamedSet map, List<PacketField> key, NatFlag... flags) {
    Match.checkKey(map, key.toArray(PacketField[]::new));
    List<DataType> target =
        map.target() instanceof NamedSet.Target.Values(KeyLayout layout)
            ? layout.types()
            : List.of();
    boolean v4 = target.indexOf(DataType.IPV4_ADDR) == 0;
    boolean v6 = target.indexOf(DataType.IPV6_ADDR) == 0;
    boolean hasPort = target.size() == 2 && target.get(1) == DataType.INET_SERVICE;
    if ((!v4 && !v6) || (target.size() > 1 && !hasPort)) {
      throw new IllegalArgumentException(
          map + " holds no addresses, nor addresses with ports, to translate to");
    }
    TableFamily family = v4 ? TableFamily.IP : TableFamily.IP6;
    Register port = R1.after(target.getFirst().size());
    return Clause.Phrase.of(
        "%s %s to %s map @%s%s"
            .formatted(
                verb,
                family,
                PacketField.text(key.toArray(PacketField[]::new)),
                map.id().name(),
                text(flags)),
        rule -> {
          checkFamily(rule, family, verb + " by " + map);
          rule.load(key);
          rule.add(new Expression.MapLookup(map.id().name(), R1, R1));
          List<Register> ports = hasPort ? List.of(port) : List.of();
          rule.add(new Expression.Nat(kind, family, List.of(R1), ports, Set.of(flags)));
        });
  }

  private static void checkFamily(RuleAssembly rule, TableFamily family, String what) {
    Layer other = family == TableFamily.IP ? Layer.IPV6 : Layer.IPV4;
    if (rule.knows(other)) {
      throw new IllegalArgumentException(
          "\"%s\" never happens in a rule about %s packets".formatted(what, other));
    }
  }

  /** Fills registers one after the other, each value in a large one, as nft does. */
  private static final class Loading {
    private final RuleAssembly rule;
    private final Iterator<Register> free = List.of(R1, R2, R3, R4).iterator();

    Loading(RuleAssembly rule) {
      this.rule = rule;
    }

    List<Register> load(NatRange range) {
      return load(Value.address(range.first()), Value.address(range.last()));
    }

    List<Register> load(NatRange.Ports ports) {
      if (ports.isKept()) {
        return List.of();
      }
      if (!rule.knowsTransport()) {
        throw new IllegalArgumentException(
            "translation to port \"%s\" needs a condition before it that asks for tcp, udp or sctp"
                .formatted(ports));
      }
      return load(Value.port(ports.first()), Value.port(ports.last()));
    }

    private List<Register> load(Value first, Value last) {
      List<Register> registers = new ArrayList<>();
      for (Value value : first.equals(last) ? List.of(first) : List.of(first, last)) {
        Register register = free.next();
        rule.add(new Expression.Immediate(register, value.bytes()));
        registers.add(register);
      }
      return registers;
    }
  }

  private static String target(NatRange.Ports ports) {
    return ports.isKept() ? "" : " to " + ports;
  }

  private static String text(NatFlag... flags) {
    return flags.length == 0
        ? ""
        : " "
            + new TreeSet<>(Set.of(flags))
                .stream().map(NatFlag::word).collect(Collectors.joining(","));
  }
}
