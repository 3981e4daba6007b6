package io.ocicat.plugins.iptables;

import io.ocicat.ip.IpAddress;
import org.jspecify.annotations.Nullable;

/**
 * A rule in terms of iptables, limited to what the CNI plugins use: two rules are equal when
 * iptables considers them equal. Its text is what {@code iptables -S} prints after the chain.
 *
 * @param source of the packets; null for any
 * @param destination null for any
 * @param in the interface they come by; empty for any
 * @param out the interface they leave by; empty for any
 * @param notOut whether they leave by any interface but {@code out}
 * @param known whether they belong to an established or related connection
 * @param comment empty for none
 * @param target ACCEPT, DROP, RETURN, or a chain to jump to
 */
public record IptablesRule(
    @Nullable IpAddress source,
    @Nullable IpAddress destination,
    String in,
    String out,
    boolean notOut,
    boolean known,
    String comment,
    String target) {
  public static final String ACCEPT = "ACCEPT";
  public static final String DROP = "DROP";
  public static final String RETURN = "RETURN";

  /** A rule that matches all packets; the other methods narrow it down. */
  public static IptablesRule to(String target) {
    return new IptablesRule(null, null, "", "", false, false, "", target);
  }

  public IptablesRule from(IpAddress address) {
    return new IptablesRule(address, destination, in, out, notOut, known, comment, target);
  }

  public IptablesRule towards(IpAddress address) {
    return new IptablesRule(source, address, in, out, notOut, known, comment, target);
  }

  public IptablesRule comingBy(String link) {
    return new IptablesRule(source, destination, link, out, notOut, known, comment, target);
  }

  public IptablesRule leavingBy(String link) {
    return new IptablesRule(source, destination, in, link, false, known, comment, target);
  }

  public IptablesRule notLeavingBy(String link) {
    return new IptablesRule(source, destination, in, link, true, known, comment, target);
  }

  /** Only in connections that are established, or related to one that is. */
  public IptablesRule ofKnownConnections() {
    return new IptablesRule(source, destination, in, out, notOut, true, comment, target);
  }

  /** The same with another target. */
  IptablesRule then(String other) {
    return new IptablesRule(source, destination, in, out, notOut, known, comment, other);
  }

  public IptablesRule commented(String text) {
    return new IptablesRule(source, destination, in, out, notOut, known, text, target);
  }

  @Override
  public String toString() {
    return LegacyForm.write(this);
  }
}
