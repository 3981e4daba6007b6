package io.ocicat.agent.nft;

import io.ocicat.ip.IpPrefix;
import io.ocicat.netlink.IpFamily;
import io.ocicat.netlink.nft.Clause;
import io.ocicat.netlink.nft.DataType;
import io.ocicat.netlink.nft.Match;
import io.ocicat.netlink.nft.PacketField;
import io.ocicat.netlink.nft.TableFamily;
import io.ocicat.netlink.nft.Value;
import java.util.Collection;
import java.util.List;

/** What differs between IPv4 and IPv6. */
record FamilyFields(
    IpFamily family,
    int version,
    TableFamily number,
    DataType type,
    PacketField source,
    PacketField destination,
    int icmp,
    PacketField icmpType,
    DataType icmpTypeType,
    PacketField icmpCode,
    DataType icmpCodeType) {
  private static final FamilyFields V4 =
      new FamilyFields(
          IpFamily.V4,
          4,
          TableFamily.IP,
          DataType.IPV4_ADDR,
          PacketField.IP_SADDR,
          PacketField.IP_DADDR,
          1,
          PacketField.ICMP_TYPE,
          DataType.ICMP_TYPE,
          PacketField.ICMP_CODE,
          DataType.ICMP_CODE);
  private static final FamilyFields V6 =
      new FamilyFields(
          IpFamily.V6,
          6,
          TableFamily.IP6,
          DataType.IPV6_ADDR,
          PacketField.IP6_SADDR,
          PacketField.IP6_DADDR,
          58,
          PacketField.ICMPV6_TYPE,
          DataType.ICMPV6_TYPE,
          PacketField.ICMPV6_CODE,
          DataType.ICMPV6_CODE);

  static FamilyFields of(IpFamily family) {
    return switch (family) {
      case V4 -> V4;
      case V6 -> V6;
    };
  }

  boolean has(IpPrefix prefix) {
    return IpFamily.of(prefix.address()) == family;
  }

  /** The networks of this family that are in no other of them. */
  List<IpPrefix> cover(Collection<IpPrefix> prefixes) {
    return IpPrefix.withoutNested(prefixes.stream().filter(this::has).toList());
  }

  /** Whether the packet is of this family. */
  Clause match() {
    return Match.eq(PacketField.NFPROTO, Value.number(DataType.NF_PROTO, number.number()));
  }
}
