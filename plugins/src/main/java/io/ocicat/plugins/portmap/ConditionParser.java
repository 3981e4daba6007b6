package io.ocicat.plugins.portmap;

import static io.ocicat.plugins.portmap.ConditionWords.refuse;

import io.ocicat.base.Quoted;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import io.ocicat.netlink.nft.Clause;
import io.ocicat.netlink.nft.Comparison;
import io.ocicat.netlink.nft.L4Protocol;
import io.ocicat.netlink.nft.Match;
import io.ocicat.netlink.nft.PacketField;
import io.ocicat.netlink.nft.Value;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Parses the subset of nft's language that {@code docs/plugins/portmap.md} describes: a sequence of
 * matches on addresses, ports, the protocol, the incoming interface and marks.
 *
 * <p>A set in braces needs no set in the kernel: {@code == { a, b }} becomes one rule for each
 * value, {@code != { a, b }} one condition for each.
 */
final class ConditionParser {
  private static final int MAX_ALTERNATIVES = 64;
  private static final long LARGEST_PORT = 0xffff;
  private static final long LARGEST_MARK = 0xffffffffL;
  private static final Pattern RANGE = Pattern.compile("([^-]+)-([^-]+)");

  /** How to build a condition from what follows a field. */
  private interface Subject {
    Clause compare(Comparison comparison, String value);
  }

  private final FamilySets family;
  private final ConditionWords words;

  ConditionParser(FamilySets family, List<String> tokens) {
    this.family = family;
    this.words = new ConditionWords(tokens);
  }

  Conditions parse() {
    List<List<Clause>> alternatives = Conditions.NONE.alternatives();
    while (!words.isEmpty()) {
      alternatives = and(alternatives, match());
    }
    return new Conditions(alternatives);
  }

  /** One match: a condition, or several of which one must hold. */
  private List<List<Clause>> match() {
    Subject subject = subject(words.next("a field"));
    Comparison comparison = comparison();
    List<Clause> clauses =
        values().stream().map(value -> subject.compare(comparison, value)).toList();
    if (clauses.size() > 1) {
      equality(comparison, "a set in { }");
    }
    return comparison == Comparison.EQ ? clauses.stream().map(List::of).toList() : List.of(clauses);
  }

  private static List<List<Clause>> and(List<List<Clause>> some, List<List<Clause>> others) {
    if (some.size() * others.size() > MAX_ALTERNATIVES) {
      throw refuse(
          "the sets in { } make more than %d combinations: use fewer values, or prefixes"
              .formatted(MAX_ALTERNATIVES));
    }
    List<List<Clause>> both = new ArrayList<>();
    for (List<Clause> one : some) {
      for (List<Clause> other : others) {
        List<Clause> joined = new ArrayList<>(one);
        joined.addAll(other);
        both.add(joined);
      }
    }
    return both;
  }

  private Subject subject(String word) {
    return switch (word) {
      case "ip", "ip6", "tcp", "udp", "sctp", "th", "meta", "ct" ->
          field(word + " " + words.next("a field of \"%s\"".formatted(word)));
      default -> field(word);
    };
  }

  private Subject field(String name) {
    return switch (name) {
      case "ip saddr" -> address(name, FamilySets.V4, PacketField.IP_SADDR);
      case "ip daddr" -> address(name, FamilySets.V4, PacketField.IP_DADDR);
      case "ip6 saddr" -> address(name, FamilySets.V6, PacketField.IP6_SADDR);
      case "ip6 daddr" -> address(name, FamilySets.V6, PacketField.IP6_DADDR);
      case "tcp sport" -> port(PacketField.TCP_SPORT);
      case "tcp dport" -> port(PacketField.TCP_DPORT);
      case "udp sport" -> port(PacketField.UDP_SPORT);
      case "udp dport" -> port(PacketField.UDP_DPORT);
      case "sctp sport" -> port(PacketField.SCTP_SPORT);
      case "sctp dport" -> port(PacketField.SCTP_DPORT);
      case "th sport" -> port(PacketField.TH_SPORT);
      case "th dport" -> port(PacketField.TH_DPORT);
      case "iifname", "meta iifname" -> ConditionParser::interfaceName;
      case "mark", "meta mark" -> mark(PacketField.MARK);
      case "ct mark" -> mark(PacketField.CT_MARK);
      case "l4proto", "meta l4proto" -> ConditionParser::protocol;
      default ->
          throw refuse(
              "%s is no field that conditions can be about: there are ip saddr, ip daddr, ip6 saddr,"
                      .formatted(Quoted.brief(name))
                  + " ip6 daddr, sport and dport of tcp, udp, sctp and th, meta l4proto, iifname,"
                  + " meta mark and ct mark");
    };
  }

  private Comparison comparison() {
    for (Comparison comparison : Comparison.values()) {
      for (String word : List.of(comparison.word(), shortWord(comparison))) {
        if (words.nextIs(word)) {
          words.next(word);
          return comparison;
        }
      }
    }
    return Comparison.EQ;
  }

  private static String shortWord(Comparison comparison) {
    return switch (comparison) {
      case EQ -> "eq";
      case NEQ -> "ne";
      case LT -> "lt";
      case LTE -> "le";
      case GT -> "gt";
      case GTE -> "ge";
    };
  }

  /** One value, or those of a set in braces. */
  private List<String> values() {
    if (!words.nextIs("{")) {
      return List.of(words.value());
    }
    List<String> values = new ArrayList<>();
    String separator = words.next("{");
    while (!separator.equals("}")) {
      values.add(words.value());
      separator = words.next("a comma or }");
      if (!separator.equals(",") && !separator.equals("}")) {
        throw refuse("%s stands where a comma or } is expected".formatted(Quoted.brief(separator)));
      }
    }
    return values;
  }

  private Subject address(String name, FamilySets of, PacketField field) {
    if (of != family) {
      throw refuse(
          "\"%s\" is no field of an %s packet: use it in conditions%s"
              .formatted(name, family.family, of));
    }
    return (comparison, text) ->
        text.contains("/")
            ? prefix(field, equality(comparison, text), IpPrefix.parse(text))
            : ordered(field, comparison, text, this::address);
  }

  private Value address(String text) {
    IpAddress address = IpAddress.parse(text);
    if (address.isV4() != (family == FamilySets.V4)) {
      throw refuse("%s is no %s address".formatted(address, family.family));
    }
    return Value.address(address);
  }

  private Clause prefix(PacketField field, Comparison comparison, IpPrefix prefix) {
    if (prefix.isV4() != (family == FamilySets.V4)) {
      throw refuse("%s is no %s prefix".formatted(prefix, family.family));
    }
    return comparison == Comparison.EQ
        ? Match.within(field, prefix)
        : Match.notWithin(field, prefix);
  }

  private static Subject port(PacketField field) {
    return (comparison, text) ->
        ordered(field, comparison, text, part -> Value.port((int) number(part, LARGEST_PORT)));
  }

  private Subject mark(PacketField field) {
    if (!words.nextIs("&")) {
      return (comparison, text) ->
          ordered(field, comparison, text, part -> Value.mark((int) number(part, LARGEST_MARK)));
    }
    words.next("&");
    int mask = (int) number(words.value(), LARGEST_MARK);
    return (comparison, text) -> {
      int value = (int) number(text, LARGEST_MARK);
      return equality(comparison, text) == Comparison.EQ
          ? Match.masked(field, mask, value)
          : Match.notMasked(field, mask, value);
    };
  }

  private static Clause interfaceName(Comparison comparison, String name) {
    boolean equal = equality(comparison, name) == Comparison.EQ;
    if (!name.endsWith("*")) {
      return Match.compare(PacketField.IIFNAME, comparison, Value.interfaceName(name));
    }
    if (!equal) {
      throw refuse("%s cannot follow !=: name the interfaces".formatted(Quoted.brief(name)));
    }
    return Match.inInterfacePrefix(name.substring(0, name.length() - 1));
  }

  private static Clause protocol(Comparison comparison, String name) {
    for (L4Protocol protocol : List.of(L4Protocol.TCP, L4Protocol.UDP, L4Protocol.SCTP)) {
      if (protocol.word().equals(name)) {
        return Match.compare(
            PacketField.L4PROTO, equality(comparison, name), Value.protocol(protocol));
      }
    }
    throw refuse("%s is not tcp, udp or sctp".formatted(Quoted.brief(name)));
  }

  /** A value or a range of them. */
  private static Clause ordered(
      PacketField field, Comparison comparison, String text, Function<String, Value> read) {
    Matcher range = RANGE.matcher(text);
    if (!range.matches()) {
      return Match.compare(field, comparison, read.apply(text));
    }
    Value first = read.apply(range.group(1));
    Value last = read.apply(range.group(2));
    if (isBehind(first, last)) {
      throw refuse("%s ends before it begins".formatted(Quoted.brief(text)));
    }
    return equality(comparison, text) == Comparison.EQ
        ? Match.between(field, first, last)
        : Match.notBetween(field, first, last);
  }

  private static boolean isBehind(Value first, Value last) {
    return switch (first.type()) {
      case IPV4_ADDR, IPV6_ADDR -> first.address().compareTo(last.address()) > 0;
      default -> first.number() > last.number();
    };
  }

  private static Comparison equality(Comparison comparison, String what) {
    if (comparison != Comparison.EQ && comparison != Comparison.NEQ) {
      throw refuse("%s can follow == and != only, not %s".formatted(what, comparison.word()));
    }
    return comparison;
  }

  private static long number(String text, long most) {
    try {
      long number = Long.decode(text);
      if (number >= 0 && number <= most) {
        return number;
      }
    } catch (NumberFormatException e) {
      // Reported below, with what is allowed.
    }
    throw refuse("%s is not a number 0–%d".formatted(Quoted.brief(text), most));
  }
}
