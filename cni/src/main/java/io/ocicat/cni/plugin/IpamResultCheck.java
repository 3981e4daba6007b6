package io.ocicat.cni.plugin;

import io.ocicat.base.Quoted;
import io.ocicat.cni.CniException;
import io.ocicat.cni.Dns;
import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.IpConfig;
import io.ocicat.cni.PluginType;
import io.ocicat.cni.Result;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import java.util.List;
import java.util.stream.Stream;

/**
 * Validates the result of an IPAM plugin before anything is configured from it. The plugin, or the
 * server it asks, is not trusted: an address that no container can have would otherwise end up on
 * the host's bridge, and control characters of its DNS settings in a {@code resolv.conf}.
 *
 * <p>What Go's plugins legitimately return passes: host prefixes (/31, /32, /127, /128), gateways
 * outside the subnet, a block's first and last address (Calico routes each by itself), link-local
 * addresses, and 240.0.0.0/4, which Linux treats as unicast and some clouds give to pods.
 */
final class IpamResultCheck {
  /** No network that addresses come from is wider, in either family. */
  private static final int WIDEST = 8;

  private static final IpAddress LIMITED_BROADCAST = IpAddress.ofV4(-1);

  private IpamResultCheck() {}

  /**
   * Checks it.
   *
   * @throws CniException with code 6 naming the address or text, and why it is invalid
   */
  static void check(PluginType type, Result result) {
    for (IpConfig ip : result.ips()) {
      checkAddress(type, ip.address());
      IpAddress gateway = ip.gateway();
      if (gateway != null) {
        checkGateway(type, ip.address(), gateway);
      }
    }
    Dns dns = result.dns();
    Stream.of(dns.nameservers(), List.of(dns.domain()), dns.search(), dns.options())
        .flatMap(List::stream)
        .filter(text -> text.chars().anyMatch(Character::isISOControl))
        .findFirst()
        .ifPresent(
            text -> {
              throw refuse(type, "DNS setting " + Quoted.brief(text), "has control characters");
            });
  }

  private static void checkAddress(PluginType type, IpPrefix prefix) {
    String what = "address " + prefix;
    IpAddress address = prefix.address();
    checkUnicast(type, what, address);
    if (prefix.length() < WIDEST) {
      throw refuse(type, what, "is of a network that is wider than /" + WIDEST);
    }
  }

  private static void checkGateway(PluginType type, IpPrefix prefix, IpAddress gateway) {
    String what = "gateway %s of %s".formatted(gateway, prefix);
    checkUnicast(type, what, gateway);
    if (gateway.isV4() != prefix.isV4()) {
      throw refuse(type, what, "is of the other family");
    }
  }

  private static void checkUnicast(PluginType type, String what, IpAddress address) {
    if (address.isUnspecified()) {
      throw refuse(type, what, "is the unspecified address");
    }
    if (address.isLoopback()) {
      throw refuse(type, what, "is a loopback address");
    }
    if (address.isMulticast()) {
      throw refuse(type, what, "is a multicast address");
    }
    if (address.equals(LIMITED_BROADCAST)) {
      throw refuse(type, what, "is the broadcast address");
    }
    if (address.isV4Mapped()) {
      throw refuse(type, what, "is an IPv4 address written as IPv6");
    }
  }

  private static CniException refuse(PluginType type, String what, String why) {
    return new CniException(
        ErrorCode.DECODING_FAILURE,
        "IPAM plugin %s returned what no container can have: %s %s"
            .formatted(Quoted.brief(type.value()), what, why),
        "it was released again; correct the plugin's configuration or its server");
  }
}
