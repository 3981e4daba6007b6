package io.ocicat.netlink.link;

import io.ocicat.netlink.NetlinkSocket;
import io.ocicat.netlink.Protocol;
import io.ocicat.netlink.ns.NetNs;
import io.ocicat.testkit.Host;
import tools.jackson.databind.JsonNode;

/** A test's host with a socket in it, and what {@code ip} prints about its links. */
record Machine(Host host, NetNs ns, NetlinkSocket net) implements AutoCloseable {
  static Machine on(Host host) {
    NetNs ns = NetNs.open(host.path());
    return new Machine(host, ns, NetlinkSocket.open(Protocol.ROUTE, ns));
  }

  JsonNode show(String link) {
    return host.json("ip", "-j", "-d", "link", "show", "dev", link).get(0);
  }

  /** What {@code ip} prints about the options of a link's kind. */
  JsonNode showOptions(String link) {
    return show(link).path("linkinfo").path("info_data");
  }

  /** What {@code ip} prints about a bridge's port. */
  JsonNode showPort(String link) {
    return show(link).path("linkinfo").path("info_slave_data");
  }

  /** A veth pair with both ends in this host. */
  Link veth(String name, String peer) {
    return Links.create(net, LinkSettings.named(name), new LinkKind.Veth(LinkSettings.named(peer)));
  }

  Link link(String name) {
    return net.find(Links.named(name)).orElseThrow();
  }

  @Override
  public void close() {
    net.close();
    ns.close();
  }
}
