package io.ocicat.agent.view;

import io.ocicat.datastore.resource.Resource;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import io.ocicat.ip.MacAddress;
import io.ocicat.netlink.IpFamily;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * A node of the cluster, as far as others need it to reach its workloads.
 *
 * @param ipv4 its address with the length of its subnet
 * @param ipip the address of its IPIP tunnel
 * @param vxlanV4 the address of its VXLAN tunnel
 * @param vxlanMacV4 the MAC address of its VXLAN device, if it is not the usual one
 * @param others further addresses: InternalIP before ExternalIP
 */
public record ClusterNode(
    String name,
    @Nullable IpPrefix ipv4,
    @Nullable IpPrefix ipv6,
    @Nullable IpAddress ipip,
    @Nullable IpAddress vxlanV4,
    @Nullable IpAddress vxlanV6,
    @Nullable MacAddress vxlanMacV4,
    @Nullable MacAddress vxlanMacV6,
    List<IpAddress> others) {
  private static final int LOCALLY_ADMINISTERED = 0x66;
  private static final int MAC = 6;

  public ClusterNode {
    others = List.copyOf(others);
  }

  public static ClusterNode of(Resource node) {
    List<IpAddress> internal = new ArrayList<>();
    List<IpAddress> external = new ArrayList<>();
    node.read(
        json -> {
          for (JsonNode item : json.path("spec").path("addresses").values()) {
            prefix(Optional.of(item.path("address").asString("")))
                .ifPresent(
                    prefix ->
                        (item.path("type").asString("").equals("ExternalIP") ? external : internal)
                            .add(prefix.address()));
          }
          return json;
        });
    internal.addAll(external);
    return new ClusterNode(
        node.key().name(),
        prefix(node.text("spec", "bgp", "ipv4Address")).filter(IpPrefix::isV4).orElse(null),
        prefix(node.text("spec", "bgp", "ipv6Address")).filter(IpPrefix::isV6).orElse(null),
        address(node.text("spec", "bgp", "ipv4IPIPTunnelAddr")).orElse(null),
        address(node.text("spec", "ipv4VXLANTunnelAddr")).orElse(null),
        address(node.text("spec", "ipv6VXLANTunnelAddr")).orElse(null),
        node.text("spec", "vxlanTunnelMACAddr").flatMap(MacAddress::tryParse).orElse(null),
        node.text("spec", "vxlanTunnelMACAddrV6").flatMap(MacAddress::tryParse).orElse(null),
        internal);
  }

  private static Optional<IpPrefix> prefix(Optional<String> text) {
    return text.flatMap(
        it ->
            it.contains("/") ? IpPrefix.tryParse(it) : IpAddress.tryParse(it).map(IpPrefix::host));
  }

  private static Optional<IpAddress> address(Optional<String> text) {
    return text.flatMap(IpAddress::tryParse);
  }

  /** Its address in a family, with the length of its subnet. */
  public Optional<IpPrefix> subnet(IpFamily family) {
    return Optional.ofNullable(family == IpFamily.V4 ? ipv4 : ipv6);
  }

  /** The address to reach it by. */
  public Optional<IpAddress> address(IpFamily family) {
    return subnet(family)
        .map(IpPrefix::address)
        .or(() -> others.stream().filter(address -> IpFamily.of(address) == family).findFirst());
  }

  /** All addresses of both families. */
  public List<IpAddress> addresses() {
    List<IpAddress> all = new ArrayList<>(others);
    if (ipv4 != null) {
      all.add(ipv4.address());
    }
    if (ipv6 != null) {
      all.add(ipv6.address());
    }
    return all;
  }

  public Optional<IpAddress> ipipAddress() {
    return Optional.ofNullable(ipip);
  }

  public Optional<IpAddress> vxlanAddress(IpFamily family) {
    return Optional.ofNullable(family == IpFamily.V4 ? vxlanV4 : vxlanV6);
  }

  /** The MAC address of its VXLAN device: the one it publishes, else the one made of its name. */
  public MacAddress vxlanMac(IpFamily family) {
    MacAddress published = family == IpFamily.V4 ? vxlanMacV4 : vxlanMacV6;
    return published != null ? published : usualVxlanMac(name, family);
  }

  /** The MAC address that Felix makes of a node's name: 0x66, then five bytes of its SHA-1. */
  public static MacAddress usualVxlanMac(String node, IpFamily family) {
    String hashed = family == IpFamily.V4 ? node : node + "-v6";
    byte[] digest;
    try {
      digest = MessageDigest.getInstance("SHA-1").digest(hashed.getBytes(StandardCharsets.UTF_8));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
    byte[] mac = new byte[MAC];
    mac[0] = LOCALLY_ADMINISTERED;
    System.arraycopy(digest, 0, mac, 1, MAC - 1);
    return MacAddress.ofBytes(mac);
  }
}
