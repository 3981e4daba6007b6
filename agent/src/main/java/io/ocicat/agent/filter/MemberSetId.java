package io.ocicat.agent.filter;

/**
 * Names a set of {@link SetMember}s. Equal selectors share a set, so the name is derived from the
 * canonical text of what selects the members.
 */
public record MemberSetId(String name, Type type) {
  public enum Type {
    /** Of {@link SetMember.Network}. */
    NETWORKS,
    /** Of {@link SetMember.Port}. */
    PORTS
  }
}
