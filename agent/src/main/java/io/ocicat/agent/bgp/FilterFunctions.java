package io.ocicat.agent.bgp;

import io.ocicat.agent.view.BgpCommunity;
import io.ocicat.agent.view.BgpFilter;
import io.ocicat.agent.view.BgpFilterRule;
import io.ocicat.ip.IpPrefix;
import io.ocicat.netlink.IpFamily;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * BGPFilters as functions of BIRD, one per direction and family that has rules. A rule that matches
 * accepts or rejects the route for good; otherwise the caller goes on.
 */
final class FilterFunctions {
  /** A symbol has at most 64 characters, 19 of which are ours. */
  private static final int LONGEST_NAME = 45;

  private static final int KEPT = 28;
  private static final int HASH_BYTES = 8;

  private FilterFunctions() {}

  /** Which way routes go. */
  enum Direction {
    IMPORT("import"),
    EXPORT("export");

    private final String word;

    Direction(String word) {
      this.word = word;
    }
  }

  /** The call of a filter's function, if it has one. */
  static Optional<String> call(
      BgpFilter filter, Direction direction, IpFamily family, boolean sameAs) {
    return rules(filter, direction, family).isEmpty()
        ? Optional.empty()
        : Optional.of("%s(%s);".formatted(name(filter.name(), direction, family), sameAs));
  }

  private static List<BgpFilterRule> rules(BgpFilter filter, Direction direction, IpFamily family) {
    return direction == Direction.IMPORT ? filter.imports(family) : filter.exports(family);
  }

  static void write(
      BirdText text, BgpFilter filter, Direction direction, IpFamily family, long normalPriority) {
    List<BgpFilterRule> rules = rules(filter, direction, family);
    if (rules.isEmpty()) {
      return;
    }
    text.open("function %s(bool same_as)".formatted(name(filter.name(), direction, family)));
    for (BgpFilterRule rule : rules) {
      String conditions = String.join(" && ", conditions(rule));
      String action = String.join(" ", actions(rule, direction, normalPriority));
      text.line(conditions.isEmpty() ? action : "if %s then { %s }".formatted(conditions, action));
    }
    text.close();
  }

  /** Calico's name for the function. */
  static String name(String filter, Direction direction, IpFamily family) {
    return "'bgp_%s_%sFilterV%s'"
        .formatted(shortened(filter), direction.word, family == IpFamily.V4 ? "4" : "6");
  }

  private static String shortened(String name) {
    if (name.length() <= LONGEST_NAME) {
      return name;
    }
    try {
      byte[] hash =
          MessageDigest.getInstance("SHA-256").digest(name.getBytes(StandardCharsets.UTF_8));
      return name.substring(0, KEPT)
          + "_"
          + HexFormat.of().withUpperCase().formatHex(hash, 0, HASH_BYTES);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  private static List<String> conditions(BgpFilterRule rule) {
    List<String> conditions = new ArrayList<>();
    switch (rule.peerType()) {
      case ANY -> {}
      case INTERNAL -> conditions.add("same_as");
      case EXTERNAL -> conditions.add("!same_as");
    }
    IpPrefix cidr = rule.cidr();
    if (cidr != null) {
      conditions.add(rule.hasLengths() ? pattern(rule, cidr) : comparison(rule, cidr));
    }
    if (rule.learned()) {
      conditions.add("source = RTS_BGP");
    }
    if (!rule.interfacePattern().isEmpty()) {
      conditions.add("defined(ifname) && ifname ~ \"%s\"".formatted(rule.interfacePattern()));
    }
    BgpCommunity community = rule.community();
    if (community != null) {
      conditions.add("%s ~ %s".formatted(tuple(community), attribute(community)));
    }
    if (!rule.asPathPrefix().isEmpty()) {
      conditions.add(
          rule.asPathPrefix().stream()
              .map(String::valueOf)
              .collect(Collectors.joining(" ", "bgp_path ~ [= ", " * =]")));
    }
    if (rule.priority() != 0) {
      conditions.add(
          "bgp_local_pref = %d".formatted(EffectiveBgp.PRIORITY_AND_PREFERENCE - rule.priority()));
    }
    return conditions;
  }

  private static String comparison(BgpFilterRule rule, IpPrefix cidr) {
    return switch (rule.operator()) {
      case EQUAL -> "net = " + cidr;
      case NOT_EQUAL -> "net != " + cidr;
      case IN -> "net ~ " + cidr;
      case NOT_IN -> "net !~ " + cidr;
    };
  }

  /** With lengths, a network stands for a set of prefixes, which nothing is equal to. */
  private static String pattern(BgpFilterRule rule, IpPrefix cidr) {
    String operator =
        switch (rule.operator()) {
          case EQUAL, IN -> "~";
          case NOT_EQUAL, NOT_IN -> "!~";
        };
    int min = Math.max(cidr.length(), rule.minLength());
    int max = rule.maxLength() < 0 ? cidr.address().bitLength() : rule.maxLength();
    return "net %s [ %s{%d,%d} ]".formatted(operator, cidr, min, max);
  }

  private static List<String> actions(
      BgpFilterRule rule, Direction direction, long normalPriority) {
    List<String> actions = new ArrayList<>();
    for (BgpFilterRule.Operation operation : rule.operations()) {
      switch (operation) {
        case BgpFilterRule.Operation.AddCommunity(BgpCommunity community) ->
            actions.add(add(community));
        case BgpFilterRule.Operation.PrependPath(List<Long> numbers) ->
            // What is put before the path last comes first in it.
            numbers.reversed().forEach(as -> actions.add("bgp_path.prepend(%d);".formatted(as)));
        case BgpFilterRule.Operation.SetPriority(int priority) -> {
          actions.add(
              "bgp_local_pref = %d;".formatted(EffectiveBgp.PRIORITY_AND_PREFERENCE - priority));
          if (direction == Direction.IMPORT) {
            actions.add("preference = %d;".formatted(priority < normalPriority ? 200 : 100));
          }
        }
      }
    }
    actions.add(rule.accept() ? "accept;" : "reject;");
    return actions;
  }

  /** The statement that adds a community to a route. */
  static String add(BgpCommunity community) {
    return "%s.add(%s);".formatted(attribute(community), tuple(community));
  }

  private static String attribute(BgpCommunity community) {
    return community.isLarge() ? "bgp_large_community" : "bgp_community";
  }

  private static String tuple(BgpCommunity community) {
    return community.numbers().stream()
        .map(String::valueOf)
        .collect(Collectors.joining(", ", "(", ")"));
  }
}
