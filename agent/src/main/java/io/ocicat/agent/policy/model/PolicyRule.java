package io.ocicat.agent.policy.model;

import io.ocicat.agent.filter.IcmpMatch;
import io.ocicat.agent.filter.PolicyAction;
import io.ocicat.netlink.IpFamily;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * A rule of a policy or profile. All criteria must hold.
 *
 * @param number the position of the rule in its resource, from 0: several rules may come from one
 * @param family empty for both
 * @param icmp only with protocol ICMP or ICMPv6
 * @param notIcmp any message but these: not both type and code
 */
public record PolicyRule(
    int number,
    PolicyAction action,
    Optional<IpFamily> family,
    OptionalInt protocol,
    OptionalInt notProtocol,
    Optional<IcmpMatch> icmp,
    Optional<IcmpMatch> notIcmp,
    RulePeer source,
    RulePeer destination) {

  /** A rule that matches every packet. */
  public static PolicyRule all(int number, PolicyAction action) {
    return of(number, action, OptionalInt.empty(), RulePeer.ANY, RulePeer.ANY);
  }

  static PolicyRule of(
      int number,
      PolicyAction action,
      OptionalInt protocol,
      RulePeer source,
      RulePeer destination) {
    return new PolicyRule(
        number,
        action,
        Optional.empty(),
        protocol,
        OptionalInt.empty(),
        Optional.empty(),
        Optional.empty(),
        source,
        destination);
  }
}
