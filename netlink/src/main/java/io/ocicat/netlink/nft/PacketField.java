package io.ocicat.netlink.nft;

import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** Something that a rule can read: a field of the packet, or its metadata. */
public final class PacketField {
  public static final PacketField IIF = meta("iif", MetaKey.IIF, DataType.IFACE_INDEX);
  public static final PacketField OIF = meta("oif", MetaKey.OIF, DataType.IFACE_INDEX);
  public static final PacketField IIFNAME = meta("iifname", MetaKey.IIFNAME, DataType.IFNAME);
  public static final PacketField OIFNAME = meta("oifname", MetaKey.OIFNAME, DataType.IFNAME);
  public static final PacketField IIFGROUP = meta("iifgroup", MetaKey.IIFGROUP, DataType.DEVGROUP);
  public static final PacketField OIFGROUP = meta("oifgroup", MetaKey.OIFGROUP, DataType.DEVGROUP);
  public static final PacketField IIFTYPE = meta("iiftype", MetaKey.IIFTYPE, DataType.IFACE_TYPE);
  public static final PacketField MARK = meta("meta mark", MetaKey.MARK, DataType.MARK);
  public static final PacketField LENGTH = meta("meta length", MetaKey.LENGTH, DataType.INTEGER);
  public static final PacketField PKTTYPE =
      meta("meta pkttype", MetaKey.PKTTYPE, DataType.PKT_TYPE);
  public static final PacketField NFPROTO =
      meta("meta nfproto", MetaKey.NFPROTO, DataType.NF_PROTO);
  public static final PacketField L4PROTO =
      meta("meta l4proto", MetaKey.L4PROTO, DataType.INET_PROTO);
  public static final PacketField PROTOCOL =
      meta("meta protocol", MetaKey.PROTOCOL, DataType.ETHER_TYPE);

  public static final PacketField ETHER_DADDR =
      payload("ether daddr", PayloadHeader.LINK, 0, DataType.ETHER_ADDR, Layer.ETHERNET);
  public static final PacketField ETHER_SADDR =
      payload("ether saddr", PayloadHeader.LINK, 6, DataType.ETHER_ADDR, Layer.ETHERNET);
  public static final PacketField ETHER_TYPE =
      payload("ether type", PayloadHeader.LINK, 12, DataType.ETHER_TYPE, Layer.ETHERNET);

  public static final PacketField IP_PROTOCOL =
      payload("ip protocol", PayloadHeader.NETWORK, 9, DataType.INET_PROTO, Layer.IPV4);
  public static final PacketField IP_SADDR =
      payload("ip saddr", PayloadHeader.NETWORK, 12, DataType.IPV4_ADDR, Layer.IPV4);
  public static final PacketField IP_DADDR =
      payload("ip daddr", PayloadHeader.NETWORK, 16, DataType.IPV4_ADDR, Layer.IPV4);
  public static final PacketField IP6_SADDR =
      payload("ip6 saddr", PayloadHeader.NETWORK, 8, DataType.IPV6_ADDR, Layer.IPV6);
  public static final PacketField IP6_DADDR =
      payload("ip6 daddr", PayloadHeader.NETWORK, 24, DataType.IPV6_ADDR, Layer.IPV6);

  public static final PacketField ARP_OPERATION =
      payload("arp operation", PayloadHeader.NETWORK, 6, DataType.ARP_OP, Layer.ARP);
  public static final PacketField ARP_SADDR_ETHER =
      payload("arp saddr ether", PayloadHeader.NETWORK, 8, DataType.ETHER_ADDR, Layer.ARP);
  public static final PacketField ARP_SADDR_IP =
      payload("arp saddr ip", PayloadHeader.NETWORK, 14, DataType.IPV4_ADDR, Layer.ARP);
  public static final PacketField ARP_DADDR_ETHER =
      payload("arp daddr ether", PayloadHeader.NETWORK, 18, DataType.ETHER_ADDR, Layer.ARP);
  public static final PacketField ARP_DADDR_IP =
      payload("arp daddr ip", PayloadHeader.NETWORK, 24, DataType.IPV4_ADDR, Layer.ARP);

  public static final PacketField TCP_SPORT = port("tcp sport", 0, Layer.TCP);
  public static final PacketField TCP_DPORT = port("tcp dport", 2, Layer.TCP);
  public static final PacketField UDP_SPORT = port("udp sport", 0, Layer.UDP);
  public static final PacketField UDP_DPORT = port("udp dport", 2, Layer.UDP);
  public static final PacketField SCTP_SPORT = port("sctp sport", 0, Layer.SCTP);
  public static final PacketField SCTP_DPORT = port("sctp dport", 2, Layer.SCTP);

  /** The ports of any protocol: match {@link #L4PROTO} as well. */
  public static final PacketField TH_SPORT = port("th sport", 0);

  public static final PacketField TH_DPORT = port("th dport", 2);
  public static final PacketField ICMP_TYPE =
      payload("icmp type", PayloadHeader.TRANSPORT, 0, DataType.ICMP_TYPE, Layer.IPV4, Layer.ICMP);
  public static final PacketField ICMPV6_TYPE =
      payload(
          "icmpv6 type",
          PayloadHeader.TRANSPORT,
          0,
          DataType.ICMPV6_TYPE,
          Layer.IPV6,
          Layer.ICMPV6);
  public static final PacketField ICMP_CODE =
      payload("icmp code", PayloadHeader.TRANSPORT, 1, DataType.ICMP_CODE, Layer.IPV4, Layer.ICMP);
  public static final PacketField ICMPV6_CODE =
      payload(
          "icmpv6 code",
          PayloadHeader.TRANSPORT,
          1,
          DataType.ICMPV6_CODE,
          Layer.IPV6,
          Layer.ICMPV6);

  public static final PacketField CT_STATE = ct("ct state", CtKey.STATE, DataType.CT_STATE);
  public static final PacketField CT_STATUS = ct("ct status", CtKey.STATUS, DataType.CT_STATUS);
  public static final PacketField CT_DIRECTION =
      ct("ct direction", CtKey.DIRECTION, DataType.CT_DIR);
  public static final PacketField CT_MARK = ct("ct mark", CtKey.MARK, DataType.MARK);

  private interface Loader {
    Expression load(Register to, int bytes);
  }

  private final String text;
  private final DataType type;
  private final List<Layer> needs;
  private final Loader loader;
  private final Bytes mask;

  private PacketField(String text, DataType type, List<Layer> needs, Loader loader) {
    this(text, type, needs, loader, Bytes.of());
  }

  private PacketField(String text, DataType type, List<Layer> needs, Loader loader, Bytes mask) {
    this.text = text;
    this.type = type;
    this.needs = needs;
    this.loader = loader;
    this.mask = mask;
  }

  /**
   * The subnet of that prefix length in which the field's address is, as in {@code ip daddr &
   * 255.255.255.0}: for looking it up in a set.
   */
  public PacketField network(int length) {
    IpAddress none =
        switch (type) {
          case IPV4_ADDR -> IpAddress.ofV4(0);
          case IPV6_ADDR -> IpAddress.ofV6(0, 0);
          default -> throw new IllegalArgumentException("\"%s\" is no address".formatted(this));
        };
    IpPrefix prefix = IpPrefix.of(none, length);
    if (length == none.bitLength()) {
      return this;
    }
    Value bits = Value.address(prefix.mask());
    return new PacketField(text + " & " + bits, type, needs, loader, bits.bytes());
  }

  /**
   * A value of the connection's packets in one direction, before any translation of this one: for
   * instance {@code ct(ORIGINAL, DST_IP)}, the address the client used.
   */
  public static PacketField ct(Direction direction, CtKey key) {
    DataType type =
        switch (key) {
          case SRC_IP, DST_IP -> DataType.IPV4_ADDR;
          case SRC_IP6, DST_IP6 -> DataType.IPV6_ADDR;
          case PROTO_SRC, PROTO_DST -> DataType.INET_SERVICE;
          case STATE, DIRECTION, STATUS, MARK, L3PROTOCOL, PROTOCOL, ZONE ->
              throw new IllegalArgumentException("ct " + key.word() + " has no direction");
        };
    return new PacketField(
        "ct " + direction.word() + " " + key.word(),
        type,
        List.of(),
        (to, _) -> new Expression.CtTuple(key, direction, to));
  }

  /** The type of an address on this machine: {@code fibType(DADDR)} is fib daddr type. */
  public static PacketField fibType(FibFlag first, FibFlag... more) {
    return fib(FibResult.TYPE, DataType.FIB_ADDRTYPE, EnumSet.of(first, more));
  }

  /** The interface through which a packet to that address would leave. */
  public static PacketField fibOif(FibFlag first, FibFlag... more) {
    return fib(FibResult.OIF, DataType.IFACE_INDEX, EnumSet.of(first, more));
  }

  /** Whether there is a route to that address at all: 1 exists, 0 missing. */
  public static PacketField fibOifExists(FibFlag first, FibFlag... more) {
    EnumSet<FibFlag> flags = EnumSet.of(first, more);
    flags.add(FibFlag.PRESENT);
    return fib(FibResult.OIF, DataType.BOOLEAN, flags);
  }

  private static PacketField fib(FibResult result, DataType type, Set<FibFlag> flags) {
    String what =
        flags.stream()
            .filter(flag -> flag != FibFlag.PRESENT)
            .map(FibFlag::word)
            .collect(Collectors.joining(" . "));
    String text = "fib " + what + (result == FibResult.TYPE ? " type" : " oif");
    return new PacketField(text, type, List.of(), (to, _) -> new Expression.Fib(result, flags, to));
  }

  private static PacketField meta(String text, MetaKey key, DataType type) {
    return new PacketField(text, type, List.of(), (to, _) -> new Expression.Meta(key, to));
  }

  private static PacketField ct(String text, CtKey key, DataType type) {
    return new PacketField(text, type, List.of(), (to, _) -> new Expression.Ct(key, to));
  }

  private static PacketField port(String text, int offset, Layer... needs) {
    return payload(text, PayloadHeader.TRANSPORT, offset, DataType.INET_SERVICE, needs);
  }

  private static PacketField payload(
      String text, PayloadHeader header, int offset, DataType type, Layer... needs) {
    return new PacketField(
        text,
        type,
        List.of(needs),
        (to, bytes) -> new Expression.Payload(header, offset, bytes, to));
  }

  public DataType type() {
    return type;
  }

  List<Layer> needs() {
    return needs;
  }

  List<Expression> load(Register to) {
    Expression whole = loader.load(to, type.size());
    return isMasked()
        ? List.of(whole, new Expression.Bitwise(to, to, mask, Bytes.zeros(mask.length())))
        : List.of(whole);
  }

  boolean isMasked() {
    return mask.length() > 0;
  }

  /** Loads at least the first {@code bytes} of it. */
  Expression loadFirst(int bytes, Register to) {
    return loader.load(to, bytes);
  }

  static String text(PacketField... fields) {
    return Arrays.stream(fields).map(PacketField::toString).collect(Collectors.joining(" . "));
  }

  /** In nft's syntax. */
  @Override
  public String toString() {
    return text;
  }
}
