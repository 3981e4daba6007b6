package io.ocicat.cni;

import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * An address of the container, with its prefix length. {@code interfaceIndex} points into the
 * result's interfaces; null (not set) differs from 0, and some plugins write -1 for unknown.
 */
public record IpConfig(
    @Nullable Integer interfaceIndex,
    IpPrefix address,
    @Nullable IpAddress gateway,
    Map<String, JsonNode> unknown) {
  public IpConfig {
    unknown = ExtraMembers.copyOf(unknown);
  }

  /** An address as an IPAM plugin returns it, without an interface. */
  public static IpConfig of(IpPrefix address) {
    return new IpConfig(null, address, null, Map.of());
  }

  public IpConfig withGateway(@Nullable IpAddress newGateway) {
    return new IpConfig(interfaceIndex, address, newGateway, unknown);
  }

  public IpConfig onInterface(int index) {
    return new IpConfig(index, address, gateway, unknown);
  }
}
