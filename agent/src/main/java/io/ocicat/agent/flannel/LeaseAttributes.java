package io.ocicat.agent.flannel;

import io.ocicat.base.json.InvalidFieldsException;
import io.ocicat.base.json.Json;
import io.ocicat.base.json.JsonFields;
import io.ocicat.base.json.JsonReader;
import io.ocicat.ip.IpAddress;
import io.ocicat.netlink.IpFamily;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * What a node publishes with its lease.
 *
 * @param publicIp the address by which other nodes reach it; null with IPv6 alone
 * @param backendType empty for flanneld's udp and alloc
 * @param vtep the vxlan device of IPv4
 * @param vtepV6 the vxlan device of IPv6
 */
record LeaseAttributes(
    @Nullable IpAddress publicIp,
    @Nullable IpAddress publicIpv6,
    String backendType,
    @Nullable VtepData vtep,
    @Nullable VtepData vtepV6) {
  private static final int MAX_LENGTH = 1 << 20;
  private static final JsonReader JSON =
      new JsonReader(
          MAX_LENGTH, JsonReader.ANY_NUMBER_OF_TOKENS, JsonReader.DuplicateKeys.LAST_COUNTS);
  private static final String NO_ADDRESS = "0.0.0.0";

  Optional<IpAddress> publicAddress(IpFamily family) {
    return Optional.ofNullable(family == IpFamily.V4 ? publicIp : publicIpv6);
  }

  Optional<VtepData> vtep(IpFamily family) {
    return Optional.ofNullable(family == IpFamily.V4 ? vtep : vtepV6);
  }

  /** Whether two leases are of one node: by its IPv4 address if the network has IPv4. */
  boolean isSameNode(LeaseAttributes other) {
    return (publicIp != null || other.publicIp != null)
        ? Objects.equals(publicIp, other.publicIp)
        : publicIpv6 != null && Objects.equals(publicIpv6, other.publicIpv6);
  }

  /** The value of a key, byte for byte as flanneld writes it. */
  String json() {
    ObjectNode json =
        Json.object().put("PublicIP", publicIp == null ? NO_ADDRESS : publicIp.toString());
    json.put("PublicIPv6", publicIpv6 == null ? null : publicIpv6.toString());
    if (!backendType.isEmpty()) {
      json.put("BackendType", backendType);
    }
    if (vtep != null) {
      json.set("BackendData", vtep.json());
    }
    if (vtepV6 != null) {
      json.set("BackendV6Data", vtepV6.json());
    }
    return Json.compact(json);
  }

  /**
   * Reads a value.
   *
   * @throws IllegalArgumentException saying why it is not one
   */
  static LeaseAttributes parse(String text) {
    try {
      return JsonFields.read(JSON.parseObject(text), LeaseAttributes::read);
    } catch (InvalidFieldsException e) {
      throw new IllegalArgumentException(e.getMessage(), e);
    }
  }

  private static LeaseAttributes read(JsonFields in) {
    IpAddress v4 = in.ip("PublicIP").check(IpAddress::isV4, "must be an IPv4 address").orNull();
    return new LeaseAttributes(
        v4 == null || v4.isUnspecified() ? null : v4,
        in.ip("PublicIPv6").check(IpAddress::isV6, "must be an IPv6 address").orNull(),
        in.text("BackendType").or(""),
        vtep(in, "BackendData"),
        vtep(in, "BackendV6Data"));
  }

  /** Data of other back ends has other shapes. */
  private static @Nullable VtepData vtep(JsonFields in, String name) {
    JsonNode data = in.value(name).raw().orElse(null);
    return data == null ? null : VtepData.read(data).orElse(null);
  }
}
