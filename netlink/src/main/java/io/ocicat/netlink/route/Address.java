package io.ocicat.netlink.route;

import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import io.ocicat.netlink.IpFamily;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * An address of a link, to be added or as the kernel reports it. Begin with {@link #of} and set
 * what differs: {@code Address.of(prefix, eth0).nodad()}.
 *
 * @param prefix the address and the length of its subnet
 * @param peer the other end of a point-to-point link; the prefix length is then that end's
 * @param label an IPv4 address's name for old tools, {@code eth0:1}; empty for none
 * @param scope for IPv6, always derived from the address by the kernel
 * @param metric of the route to the subnet that the kernel adds; 0 for its default
 */
public record Address(
    Device device,
    IpPrefix prefix,
    @Nullable IpAddress peer,
    @Nullable IpAddress broadcast,
    String label,
    Scope scope,
    Set<AddressFlag> flags,
    Lifetime lifetime,
    long metric) {

  public Address {
    flags = Set.copyOf(flags);
    if (peer != null && peer.isV4() != prefix.isV4()) {
      throw new IllegalArgumentException(
          "address %s cannot have the peer %s: not the same family".formatted(prefix, peer));
    }
    if (broadcast != null && !(prefix.isV4() && broadcast.isV4())) {
      throw new IllegalArgumentException(
          "address %s cannot have the broadcast address %s: that is for IPv4 only"
              .formatted(prefix, broadcast));
    }
    if (!label.isEmpty() && prefix.isV6()) {
      throw new IllegalArgumentException(
          "address %s cannot have the label \"%s\": that is for IPv4 only"
              .formatted(prefix, label));
    }
    if (!Unsigned.fits32(metric)) {
      throw Unsigned.refuse32("the metric of address " + prefix, metric);
    }
  }

  /** A permanent address, global unless it is a loopback address. */
  public static Address of(IpPrefix prefix, Device device) {
    return new Address(
        device,
        prefix,
        null,
        null,
        "",
        prefix.address().isLoopback() ? Scope.HOST : Scope.UNIVERSE,
        Set.of(),
        Lifetime.FOREVER,
        0);
  }

  public Address peer(IpAddress peer) {
    return new Address(device, prefix, peer, broadcast, label, scope, flags, lifetime, metric);
  }

  public Address broadcast(IpAddress broadcast) {
    return new Address(device, prefix, peer, broadcast, label, scope, flags, lifetime, metric);
  }

  /** With the broadcast address of its subnet, if any: {@code brd +} of iproute2. */
  public Address subnetBroadcast() {
    return prefix.broadcast().map(this::broadcast).orElse(this);
  }

  public Address label(String label) {
    return new Address(device, prefix, peer, broadcast, label, scope, flags, lifetime, metric);
  }

  public Address scope(Scope scope) {
    return new Address(device, prefix, peer, broadcast, label, scope, flags, lifetime, metric);
  }

  public Address flag(AddressFlag flag) {
    Set<AddressFlag> more = EnumSet.of(flag);
    more.addAll(flags);
    return new Address(device, prefix, peer, broadcast, label, scope, more, lifetime, metric);
  }

  /** Usable at once, without the second or two of IPv6 duplicate address detection. */
  public Address nodad() {
    return flag(AddressFlag.NODAD);
  }

  /** Without the kernel's route to the subnet. */
  public Address noPrefixRoute() {
    return flag(AddressFlag.NOPREFIXROUTE);
  }

  public Address lifetime(Lifetime lifetime) {
    return new Address(device, prefix, peer, broadcast, label, scope, flags, lifetime, metric);
  }

  public Address metric(long metric) {
    return new Address(device, prefix, peer, broadcast, label, scope, flags, lifetime, metric);
  }

  public boolean has(AddressFlag flag) {
    return flags.contains(flag);
  }

  public IpFamily family() {
    return IpFamily.of(prefix.address());
  }

  /** As in {@code 10.0.0.1/24 dev eth0}. */
  @Override
  public String toString() {
    return prefix
        + (peer == null ? "" : " peer " + peer)
        + " dev "
        + device
        + (label.isEmpty() ? "" : " label " + label);
  }
}
