package io.ocicat.netlink.route;

import io.ocicat.netlink.IpFamily;
import io.ocicat.netlink.NetlinkQuery;
import io.ocicat.netlink.NetlinkRequest;
import io.ocicat.netlink.Topic;
import org.jspecify.annotations.Nullable;

/** Requests and queries about the addresses of links. */
public final class Addresses {
  private static final int RTM_NEWADDR = 20;
  private static final int RTM_DELADDR = 21;
  private static final int RTM_GETADDR = 22;
  private static final int GROUP_IPV4 = 5;
  private static final int GROUP_IPV6 = 9;

  /**
   * Addresses that appear, change or go. An IPv6 address that leaves its duplicate detection has
   * changed.
   */
  public static final Topic<Address> CHANGES =
      Topic.of(RTM_NEWADDR, RTM_DELADDR, AddressMessage::read, GROUP_IPV4, GROUP_IPV6)
          .only(FamilyHeader::isIp);

  private Addresses() {}

  /** Adds an address to a link; EEXIST when it has it. */
  public static NetlinkRequest add(Address address) {
    return write("add", NetlinkRequest.CREATE | NetlinkRequest.EXCLUSIVE, address);
  }

  /**
   * Adds an address to a link, or changes the lifetime and metric of the existing one, for IPv6
   * also its flags. Scope, label and broadcast stay unchanged.
   */
  public static NetlinkRequest replace(Address address) {
    return write("replace", NetlinkRequest.CREATE | NetlinkRequest.REPLACE, address);
  }

  /**
   * Removes an address with exactly this prefix length and peer, and with this label if one is
   * given. With the first address of an IPv4 subnet the link loses the subnet's others, unless the
   * sysctl {@code promote_secondaries} is set.
   */
  public static NetlinkRequest delete(Address address) {
    return NetlinkRequest.of(
        RTM_DELADDR,
        0,
        out -> AddressMessage.writeName(out, address, 0),
        () -> "delete address " + address);
  }

  /** All addresses of all links. */
  public static NetlinkQuery<Address> list() {
    return list(null, null, "list addresses");
  }

  public static NetlinkQuery<Address> list(IpFamily family) {
    return list(family, null, "list " + family + " addresses");
  }

  /** The addresses of a link; ENODEV when the link does not exist. */
  public static NetlinkQuery<Address> list(Device device) {
    return list(null, device, "list addresses dev " + device);
  }

  public static NetlinkQuery<Address> list(IpFamily family, Device device) {
    return list(family, device, "list " + family + " addresses dev " + device);
  }

  private static NetlinkQuery<Address> list(
      @Nullable IpFamily family, @Nullable Device device, String operation) {
    return NetlinkQuery.all(
            RTM_GETADDR,
            out -> AddressMessage.writeFilter(out, family, device),
            AddressMessage::read,
            () -> operation)
        .only(FamilyHeader::isIp)
        // Kernels before 4.20 do not filter by link.
        .where(address -> device == null || address.device().equals(device));
  }

  private static NetlinkRequest write(String verb, int flags, Address address) {
    return NetlinkRequest.of(
        RTM_NEWADDR,
        flags,
        out -> AddressMessage.write(out, address),
        () -> verb + " address " + address);
  }
}
