package io.ocicat.netlink.tc;

import io.ocicat.netlink.NetlinkSocket;
import io.ocicat.netlink.Protocol;
import io.ocicat.netlink.ns.NetNs;
import io.ocicat.testkit.Host;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A host with a veth pair that is up and two ifbs, and a socket into it. */
abstract class TcFixture {
  NetNs namespace = NetNs.create();
  NetlinkSocket net = NetlinkSocket.open(Protocol.ROUTE, namespace);
  int veth;
  int ifb;

  @BeforeEach
  void prepare(Host host) {
    close();
    host.exec("ip", "link", "add", "eth0", "up", "type", "veth", "peer", "name", "eth1");
    host.exec("ip", "link", "set", "eth1", "up");
    host.exec("ip", "link", "add", "ifb7", "up", "type", "ifb");
    namespace = NetNs.open(host.path());
    net = NetlinkSocket.open(Protocol.ROUTE, namespace);
    veth = index(host, "eth0");
    ifb = index(host, "ifb7");
  }

  @AfterEach
  void close() {
    net.close();
    namespace.close();
  }

  static int index(Host host, String link) {
    return host.json("ip", "-j", "link", "show", link).get(0).get("ifindex").asInt();
  }
}
