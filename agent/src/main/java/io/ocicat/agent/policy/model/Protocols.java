package io.ocicat.agent.policy.model;

/** Numbers of protocols in the IP header. */
public final class Protocols {
  public static final int ICMP = 1;
  public static final int TCP = 6;
  public static final int UDP = 17;
  public static final int ICMPV6 = 58;
  public static final int SCTP = 132;
  public static final int UDP_LITE = 136;

  private Protocols() {}

  public static boolean hasPorts(int protocol) {
    return protocol == TCP || protocol == UDP || protocol == SCTP || protocol == UDP_LITE;
  }
}
