package io.ocicat.datastore.resource;

import io.ocicat.ip.IpPrefix;

/** IPv4 or IPv6. */
public enum IpVersion {
  V4,
  V6;

  public static IpVersion of(IpPrefix prefix) {
    return prefix.isV4() ? V4 : V6;
  }

  /** The form in keys: {@code ipv4}. */
  public String text() {
    return this == V4 ? "ipv4" : "ipv6";
  }
}
