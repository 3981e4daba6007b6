package io.ocicat.agent.startup;

import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import io.ocicat.netlink.IpFamily;
import io.ocicat.netlink.NetlinkSocket;
import io.ocicat.netlink.link.Link;
import io.ocicat.netlink.link.Links;
import io.ocicat.netlink.route.Address;
import io.ocicat.netlink.route.AddressFlag;
import io.ocicat.netlink.route.Addresses;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * An interface of the host.
 *
 * @param running whether it is up and has a carrier
 * @param addresses those that can be used now, with the prefix lengths of their subnets; temporary
 *     and deprecated ones last
 */
public record HostInterface(
    int index, String name, boolean up, boolean running, int mtu, List<IpPrefix> addresses) {

  /** Calico's list of interfaces whose addresses are not the node's. */
  private static final Pattern EXCLUDED =
      Pattern.compile(
          "^(docker|cbr|dummy|podman|virbr|lxcbr|veth|lo|br-|cali|tunl|flannel|kube-ipvs|cni"
              + "|vxlan\\.calico|vxlan-v6\\.calico|wireguard\\.cali|wg-v6\\.cali|nodelocaldns)");

  public HostInterface {
    addresses = List.copyOf(addresses);
  }

  /** Reads all interfaces, in the order of their indexes. */
  static List<HostInterface> all(NetlinkSocket host) {
    Map<Integer, List<Address>> addresses =
        host.list(Addresses.list()).stream()
            .filter(HostInterface::isUsable)
            .sorted(Comparator.comparing(HostInterface::isShortLived))
            .collect(Collectors.groupingBy(address -> address.device().index()));
    return host.list(Links.all()).stream()
        .sorted(Comparator.comparingInt(Link::index))
        .map(link -> of(link, addresses.getOrDefault(link.index(), List.of())))
        .toList();
  }

  private static HostInterface of(Link link, List<Address> addresses) {
    return new HostInterface(
        link.index(),
        link.name(),
        link.isUp(),
        link.isRunning(),
        link.mtu(),
        addresses.stream().map(Address::prefix).toList());
  }

  private static boolean isUsable(Address address) {
    return !address.has(AddressFlag.DADFAILED)
        && (!address.has(AddressFlag.TENTATIVE) || address.has(AddressFlag.OPTIMISTIC));
  }

  private static boolean isShortLived(Address address) {
    return address.has(AddressFlag.DEPRECATED)
        || (address.prefix().isV6() && address.has(AddressFlag.SECONDARY));
  }

  /** Whether it is of a kind whose addresses are not the node's, by its name. */
  boolean isExcluded() {
    return EXCLUDED.matcher(name).find();
  }

  /** The addresses of a family that other machines may use. */
  Stream<IpPrefix> global(IpFamily family) {
    return addresses.stream()
        .filter(prefix -> IpFamily.of(prefix.address()) == family && isGlobal(prefix.address()));
  }

  private static boolean isGlobal(IpAddress address) {
    return !address.isUnspecified()
        && !address.isLoopback()
        && !address.isLinkLocal()
        && !address.isMulticast();
  }

  /** Returns this address with the prefix length of its subnet, if the interface has it. */
  Optional<IpPrefix> find(IpAddress address) {
    return addresses.stream().filter(prefix -> prefix.address().equals(address)).findFirst();
  }
}
