package io.ocicat.netlink.route;

import io.ocicat.netlink.IpFamily;
import io.ocicat.netlink.Query;
import io.ocicat.netlink.Request;
import io.ocicat.netlink.Topic;
import org.jspecify.annotations.Nullable;

/** Requests and queries about routing rules: which table is looked into for which packets. */
public final class Rules {
  private static final int RTM_NEWRULE = 32;
  private static final int RTM_DELRULE = 33;
  private static final int RTM_GETRULE = 34;
  private static final int GROUP_IPV4 = 8;
  private static final int GROUP_IPV6 = 19;

  /** Rules that appear or go. */
  public static final Topic<Rule> CHANGES =
      Topic.of(RTM_NEWRULE, RTM_DELRULE, RuleMessage::read, GROUP_IPV4, GROUP_IPV6)
          .only(Reading::isIp);

  private Rules() {}

  /** Adds a rule; EEXIST when there is the same one already. */
  public static Request add(Rule rule) {
    if (rule.action() instanceof RuleAction.Unsaid) {
      throw new IllegalArgumentException(
          "rule \"" + rule + "\" needs an action: lookup, blackhole, unreachable, prohibit, …");
    }
    return Request.of(
        RTM_NEWRULE,
        Request.CREATE | Request.EXCLUSIVE,
        out -> RuleMessage.write(out, rule, rule.protocol().orBoot()),
        () -> "add rule " + rule);
  }

  /**
   * Deletes the first rule that has everything said here; what is not said may be anything. ENOENT
   * when there is none.
   */
  public static Request delete(Rule rule) {
    return Request.of(
        RTM_DELRULE,
        0,
        out -> RuleMessage.write(out, rule, rule.protocol()),
        () -> "delete rule " + rule);
  }

  /** The rules of both families, each in the order they are tried. */
  public static Query<Rule> list() {
    return list(null, "list rules");
  }

  public static Query<Rule> list(IpFamily family) {
    return list(family, "list " + family + " rules");
  }

  private static Query<Rule> list(@Nullable IpFamily family, String operation) {
    return Query.all(
            RTM_GETRULE,
            out -> RuleMessage.writeFilter(out, family),
            RuleMessage::read,
            () -> operation)
        .only(Reading::isIp);
  }
}
