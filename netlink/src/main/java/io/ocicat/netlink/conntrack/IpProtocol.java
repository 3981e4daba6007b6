package io.ocicat.netlink.conntrack;

/** An IP protocol, by IANA's number. */
public record IpProtocol(int number) {
  public static final IpProtocol ICMP = new IpProtocol(1);
  public static final IpProtocol TCP = new IpProtocol(6);
  public static final IpProtocol UDP = new IpProtocol(17);
  public static final IpProtocol ICMPV6 = new IpProtocol(58);
  public static final IpProtocol SCTP = new IpProtocol(132);

  public IpProtocol {
    if (number < 0 || number > 255) {
      throw new IllegalArgumentException("an IP protocol is 0–255, not " + number);
    }
  }

  @Override
  public String toString() {
    return switch (number) {
      case 1 -> "icmp";
      case 6 -> "tcp";
      case 17 -> "udp";
      case 58 -> "icmpv6";
      case 132 -> "sctp";
      default -> "protocol " + number;
    };
  }
}
