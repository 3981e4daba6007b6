package io.ocicat.ipamserver;

import io.ocicat.ip.IpAddress;

/** An address family, as named in requests. */
enum AddressFamily {
  IPV4("ipv4"),
  IPV6("ipv6");

  private final String text;

  AddressFamily(String text) {
    this.text = text;
  }

  static AddressFamily of(IpAddress address) {
    return address.isV4() ? IPV4 : IPV6;
  }

  String text() {
    return text;
  }
}
