package io.ocicat.netlink.route;

import io.ocicat.netlink.IpFamily;
import io.ocicat.netlink.NetlinkQuery;
import io.ocicat.netlink.NetlinkRequest;
import io.ocicat.netlink.Topic;
import org.jspecify.annotations.Nullable;

/** Requests and queries about routing rules, which select the table for a packet. */
public final class RoutingRules {
  private static final int RTM_NEWRULE = 32;
  private static final int RTM_DELRULE = 33;
  private static final int RTM_GETRULE = 34;
  private static final int GROUP_IPV4 = 8;
  private static final int GROUP_IPV6 = 19;

  /** Rules that appear or go. */
  public static final Topic<RoutingRule> CHANGES =
      Topic.of(RTM_NEWRULE, RTM_DELRULE, RoutingRuleMessage::read, GROUP_IPV4, GROUP_IPV6)
          .only(FamilyHeader::isIp);

  private RoutingRules() {}

  /** Adds a rule; EEXIST when an equal one exists. */
  public static NetlinkRequest add(RoutingRule rule) {
    if (rule.action() instanceof RuleAction.Unsaid) {
      throw new IllegalArgumentException(
          "rule \"" + rule + "\" needs an action: lookup, blackhole, unreachable, prohibit, …");
    }
    return NetlinkRequest.of(
        RTM_NEWRULE,
        NetlinkRequest.CREATE | NetlinkRequest.EXCLUSIVE,
        out -> RoutingRuleMessage.write(out, rule, rule.protocol().orBoot()),
        () -> "add rule " + rule);
  }

  /**
   * Deletes the first rule that matches everything set here; unset values match anything. ENOENT
   * when there is none.
   */
  public static NetlinkRequest delete(RoutingRule rule) {
    return NetlinkRequest.of(
        RTM_DELRULE,
        0,
        out -> RoutingRuleMessage.write(out, rule, rule.protocol()),
        () -> "delete rule " + rule);
  }

  /** The rules of both families, each in the order they are tried. */
  public static NetlinkQuery<RoutingRule> list() {
    return list(null, "list rules");
  }

  public static NetlinkQuery<RoutingRule> list(IpFamily family) {
    return list(family, "list " + family + " rules");
  }

  private static NetlinkQuery<RoutingRule> list(@Nullable IpFamily family, String operation) {
    return NetlinkQuery.all(
            RTM_GETRULE,
            out -> RoutingRuleMessage.writeFilter(out, family),
            RoutingRuleMessage::read,
            () -> operation)
        .only(FamilyHeader::isIp);
  }
}
