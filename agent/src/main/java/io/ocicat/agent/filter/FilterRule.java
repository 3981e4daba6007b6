package io.ocicat.agent.filter;

import io.ocicat.netlink.IpFamily;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * A rule whose selectors have become sets. All criteria must hold.
 *
 * @param number the position of the rule in its resource, from 0: several rules may come from one
 * @param family empty for both
 * @param protocol the number in the IP header
 * @param notProtocol any protocol but this
 * @param icmp only with protocol ICMP or ICMPv6
 * @param notIcmp any message but these: not both type and code
 */
public record FilterRule(
    int number,
    PolicyAction action,
    Optional<IpFamily> family,
    OptionalInt protocol,
    OptionalInt notProtocol,
    Optional<IcmpMatch> icmp,
    Optional<IcmpMatch> notIcmp,
    PeerMatch source,
    PeerMatch destination) {

  /** A rule that matches every packet. */
  public static FilterRule all(int number, PolicyAction action) {
    return new FilterRule(
        number,
        action,
        Optional.empty(),
        OptionalInt.empty(),
        OptionalInt.empty(),
        Optional.empty(),
        Optional.empty(),
        PeerMatch.ANY,
        PeerMatch.ANY);
  }
}
