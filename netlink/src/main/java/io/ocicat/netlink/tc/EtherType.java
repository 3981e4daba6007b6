package io.ocicat.netlink.tc;

/** The EtherType of a packet; any number from 0 to 0xffff. */
public record EtherType(int number) {
  /** Not a protocol: stands for all of them. */
  public static final EtherType ALL = new EtherType(0x0003);

  public static final EtherType IPV4 = new EtherType(0x0800);
  public static final EtherType IPV6 = new EtherType(0x86dd);
  public static final EtherType ARP = new EtherType(0x0806);

  public EtherType {
    if (number < 0 || number > 0xffff) {
      throw new IllegalArgumentException(
          "an Ethernet protocol is a number from 0 to ffff, not " + Integer.toHexString(number));
    }
  }

  /** As tc writes it: {@code all}, {@code ip}, {@code ipv6}, {@code arp}, {@code 0x88cc}. */
  @Override
  public String toString() {
    return switch (number) {
      case 0x0003 -> "all";
      case 0x0800 -> "ip";
      case 0x86dd -> "ipv6";
      case 0x0806 -> "arp";
      default -> "0x%04x".formatted(number);
    };
  }
}
