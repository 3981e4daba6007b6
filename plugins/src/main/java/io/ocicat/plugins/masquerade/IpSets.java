package io.ocicat.plugins.masquerade;

import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import io.ocicat.netlink.nft.ChainId;
import io.ocicat.netlink.nft.DataType;
import io.ocicat.netlink.nft.Element;
import io.ocicat.netlink.nft.NamedSet;
import io.ocicat.netlink.nft.PacketField;
import io.ocicat.netlink.nft.TableId;
import io.ocicat.netlink.nft.Value;
import java.util.List;
import java.util.OptionalInt;

/** The part of {@link MasqueradeTable} for the addresses of one family. */
final class IpSets {
  private static final IpSets V4 =
      new IpSets(4, DataType.IPV4_ADDR, PacketField.IP_SADDR, PacketField.IP_DADDR, "224.0.0.0/4");
  private static final IpSets V6 =
      new IpSets(6, DataType.IPV6_ADDR, PacketField.IP6_SADDR, PacketField.IP6_DADDR, "ff00::/8");

  static final List<IpSets> BOTH = List.of(V4, V6);

  private final DataType type;
  private final String neighbours;
  final PacketField source;
  final PacketField destination;
  final IpPrefix multicast;

  /** The addresses to masquerade, each with its owner as comment. */
  final NamedSet sources;

  /** See {@link OwnerEntry}. */
  final NamedSet owners;

  /** The chain for packets from those addresses. */
  final ChainId leaving;

  private IpSets(
      int version, DataType type, PacketField source, PacketField destination, String multicast) {
    TableId table = MasqueradeTable.TABLE;
    this.type = type;
    this.source = source;
    this.destination = destination;
    this.multicast = IpPrefix.parse(multicast);
    this.sources = NamedSet.set(table.set("sources" + version), type);
    this.owners = NamedSet.set(table.set("owners" + version), DataType.IFNAME);
    this.leaving = table.chain("leaving" + version);
    this.neighbours = "neighbours" + version + "_";
  }

  static IpSets of(IpAddress address) {
    return address.isV4() ? V4 : V6;
  }

  List<IpPrefix> only(List<IpPrefix> addresses) {
    return addresses.stream().filter(address -> of(address.address()) == this).toList();
  }

  /** For subnets of one size: an address, and the subnet it reaches without being masqueraded. */
  NamedSet neighbours(int length) {
    return NamedSet.set(MasqueradeTable.TABLE.set(neighbours + length), type, type);
  }

  /** The prefix length of the subnets in a set of neighbours; empty for other sets. */
  OptionalInt lengthOf(NamedSet set) {
    String name = set.id().name();
    return name.matches(neighbours + "[0-9]{1,3}")
        ? OptionalInt.of(Integer.parseInt(name.substring(neighbours.length())))
        : OptionalInt.empty();
  }

  static Element source(IpAddress address) {
    return Element.of(Value.address(address));
  }

  static Element neighbour(IpPrefix address) {
    return Element.of(Value.address(address.address()), Value.address(address.first()));
  }
}
