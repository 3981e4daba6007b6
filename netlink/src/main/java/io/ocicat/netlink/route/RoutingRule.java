package io.ocicat.netlink.route;

import io.ocicat.ip.IpPrefix;
import io.ocicat.netlink.IpFamily;
import org.jspecify.annotations.Nullable;

/**
 * A routing rule, to be added or as the kernel reports it: which packets it selects and what it
 * does with them. Begin with {@link #of}, which selects all packets: {@code
 * RoutingRule.of(V4).priority(100).from(pod).lookup(100)}.
 *
 * @param priority rules are tried from 0 upwards; {@link #UNSAID} leaves it to the kernel when
 *     adding (before the first of all others that is not 0) and means any when deleting
 * @param inverted selects the packets that do not match
 * @param from source; none for all
 * @param to destination; none for all
 * @param incoming name of the link packets come in by, {@code lo} for this host's own; empty for
 *     all
 * @param outgoing name of the link a socket is bound to; empty for all
 * @param suppress a lookup ignores routes with this prefix length or a shorter one: 0 for default
 *     routes only, -1 for none
 */
public record RoutingRule(
    IpFamily family,
    long priority,
    boolean inverted,
    @Nullable IpPrefix from,
    @Nullable IpPrefix to,
    @Nullable Fwmark mark,
    String incoming,
    String outgoing,
    RuleAction action,
    int suppress,
    RouteProtocol protocol) {
  public static final long UNSAID = -1;

  public RoutingRule {
    if (priority != UNSAID) {
      Unsigned.check32("a rule's priority", priority);
    }
    from = checked("from", from, family);
    to = checked("to", to, family);
    if (suppress < -1 || suppress > 128) {
      throw new IllegalArgumentException(
          "a rule suppresses prefix lengths of 0–128 (-1 for none), not " + suppress);
    }
  }

  private static @Nullable IpPrefix checked(
      String what, @Nullable IpPrefix prefix, IpFamily family) {
    if (prefix == null || prefix.length() == 0) {
      return null;
    }
    if (IpFamily.of(prefix.address()) != family) {
      throw new IllegalArgumentException(
          "an %s rule cannot select packets %s %s".formatted(family, what, prefix));
    }
    return prefix.network();
  }

  /** A rule for all packets of a family, its action not yet set. */
  public static RoutingRule of(IpFamily family) {
    return new RoutingRule(
        family,
        UNSAID,
        false,
        null,
        null,
        null,
        "",
        "",
        new RuleAction.Unsaid(),
        -1,
        RouteProtocol.UNSPEC);
  }

  public RoutingRule priority(long priority) {
    return new RoutingRule(
        family, priority, inverted, from, to, mark, incoming, outgoing, action, suppress, protocol);
  }

  /** Selects the packets that do not match. */
  public RoutingRule not() {
    return new RoutingRule(
        family, priority, true, from, to, mark, incoming, outgoing, action, suppress, protocol);
  }

  public RoutingRule from(IpPrefix from) {
    return new RoutingRule(
        family, priority, inverted, from, to, mark, incoming, outgoing, action, suppress, protocol);
  }

  public RoutingRule to(IpPrefix to) {
    return new RoutingRule(
        family, priority, inverted, from, to, mark, incoming, outgoing, action, suppress, protocol);
  }

  public RoutingRule mark(Fwmark mark) {
    return new RoutingRule(
        family, priority, inverted, from, to, mark, incoming, outgoing, action, suppress, protocol);
  }

  public RoutingRule iif(String incoming) {
    return new RoutingRule(
        family, priority, inverted, from, to, mark, incoming, outgoing, action, suppress, protocol);
  }

  public RoutingRule oif(String outgoing) {
    return new RoutingRule(
        family, priority, inverted, from, to, mark, incoming, outgoing, action, suppress, protocol);
  }

  public RoutingRule lookup(int table) {
    return action(new RuleAction.Lookup(table));
  }

  public RoutingRule action(RuleAction action) {
    return new RoutingRule(
        family, priority, inverted, from, to, mark, incoming, outgoing, action, suppress, protocol);
  }

  public RoutingRule suppressPrefixLength(int suppress) {
    return new RoutingRule(
        family, priority, inverted, from, to, mark, incoming, outgoing, action, suppress, protocol);
  }

  public RoutingRule protocol(RouteProtocol protocol) {
    return new RoutingRule(
        family, priority, inverted, from, to, mark, incoming, outgoing, action, suppress, protocol);
  }

  /** As in {@code priority 100 from 10.0.0.0/8 fwmark 0x1 lookup main}. */
  @Override
  public String toString() {
    return family
        + (priority == UNSAID ? "" : " priority " + priority)
        + (inverted ? " not" : "")
        + " from "
        + (from == null ? "all" : from)
        + (to == null ? "" : " to " + to)
        + (mark == null ? "" : " fwmark " + mark)
        + (incoming.isEmpty() ? "" : " iif " + incoming)
        + (outgoing.isEmpty() ? "" : " oif " + outgoing)
        + (action instanceof RuleAction.Unsaid ? "" : " " + action)
        + (suppress == -1 ? "" : " suppress_prefixlength " + suppress)
        + (protocol.equals(RouteProtocol.UNSPEC) ? "" : " proto " + protocol);
  }
}
