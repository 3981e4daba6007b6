package io.ocicat.testkit;

/** A veth pair between two hosts: the device at each end. */
public record VethLink(String device, String otherDevice) {

  static VethLink between(Host host, Host other, String address, String otherAddress) {
    VethLink wire = plug(host, other);
    host.address(wire.device, address);
    other.address(wire.otherDevice, otherAddress);
    return wire;
  }

  /** Both ends are created in their namespaces, and up. */
  static VethLink plug(Host host, Host other) {
    VethLink wire = new VethLink(host.nextWire(), other.nextWire());
    host.exec(
        "ip",
        "link",
        "add",
        wire.device,
        "type",
        "veth",
        "peer",
        "name",
        wire.otherDevice,
        "netns",
        other.name());
    host.up(wire.device);
    other.up(wire.otherDevice);
    return wire;
  }
}
