package io.ocicat.netlink.route;

import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import io.ocicat.netlink.NetlinkSocket;
import io.ocicat.netlink.Protocol;
import io.ocicat.netlink.ns.NetNs;
import io.ocicat.testkit.Host;

/** A netlink socket in a test's host, whose links are created by iproute2. */
final class TestNet implements AutoCloseable {
  private final Host host;
  private final NetNs namespace;
  private final NetlinkSocket socket;

  private TestNet(Host host, NetNs namespace, NetlinkSocket socket) {
    this.host = host;
    this.namespace = namespace;
    this.socket = socket;
  }

  static TestNet of(Host host) {
    NetNs namespace = NetNs.open(host.path());
    return new TestNet(host, namespace, NetlinkSocket.open(Protocol.ROUTE, namespace));
  }

  NetlinkSocket socket() {
    return socket;
  }

  NetNs namespace() {
    return namespace;
  }

  /** A veth pair whose ends are both here and up; without IPv6 link-local addresses. */
  Device link(String name) {
    String peer = name + "p";
    host.exec("ip", "link", "add", name, "type", "veth", "peer", "name", peer);
    for (String end : new String[] {name, peer}) {
      host.exec("ip", "link", "set", end, "addrgenmode", "none");
      host.exec("ip", "link", "set", end, "up");
    }
    return device(name);
  }

  Device device(String name) {
    int index = host.json("ip", "-j", "link", "show", "dev", name).get(0).get("ifindex").asInt();
    return Device.of(index, name);
  }

  static IpPrefix prefix(String text) {
    return IpPrefix.parse(text);
  }

  static IpAddress ip(String text) {
    return IpAddress.parse(text);
  }

  @Override
  public void close() {
    socket.close();
    namespace.close();
  }
}
