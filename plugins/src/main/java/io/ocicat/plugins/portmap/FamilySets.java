package io.ocicat.plugins.portmap;

import static io.ocicat.netlink.nft.DataType.IFNAME;
import static io.ocicat.netlink.nft.DataType.INET_PROTO;
import static io.ocicat.netlink.nft.DataType.INET_SERVICE;

import io.ocicat.cni.PortMapping.Protocol;
import io.ocicat.ip.IpAddress;
import io.ocicat.netlink.IpFamily;
import io.ocicat.netlink.NetlinkRequest;
import io.ocicat.netlink.linux.NetlinkException;
import io.ocicat.netlink.nft.DataType;
import io.ocicat.netlink.nft.Element;
import io.ocicat.netlink.nft.ElementData;
import io.ocicat.netlink.nft.KeyLayout;
import io.ocicat.netlink.nft.L4Protocol;
import io.ocicat.netlink.nft.NamedSet;
import io.ocicat.netlink.nft.PacketField;
import io.ocicat.netlink.nft.Value;
import io.ocicat.plugins.net.NamingHash;
import java.util.List;

/**
 * The sets and maps of {@link PortmapTable} for one address family, and the elements that a {@link
 * Forward} has in them. All are hash sets, so that the cost does not grow with their number.
 */
final class FamilySets {
  static final FamilySets V4 =
      new FamilySets(
          "4",
          IpFamily.V4,
          DataType.IPV4_ADDR,
          PacketField.IP_SADDR,
          PacketField.IP_DADDR,
          "127.0.0.1");
  static final FamilySets V6 =
      new FamilySets(
          "6",
          IpFamily.V6,
          DataType.IPV6_ADDR,
          PacketField.IP6_SADDR,
          PacketField.IP6_DADDR,
          "::1");
  static final List<FamilySets> BOTH = List.of(V4, V6);

  /** Five bits each: enough to rule out collisions. */
  private static final int KEY_LETTERS = 15;

  private final String version;
  final IpFamily family;
  final IpAddress loopback;
  final PacketField source;
  final PacketField destination;

  /** Protocol and host port, on all addresses → address and port of a container. */
  final NamedSet ports;

  /** Host address, protocol and host port → address and port of a container. */
  final NamedSet hostIpPorts;

  /**
   * Host address (0.0.0.0 for all), protocol and host port, and the key of a label → address and
   * port of a container: a forward that takes effect once no other attachment of the same container
   * has the port.
   */
  final NamedSet waiting;

  /** A source that must be masqueraded towards a container: the container itself, 127.0.0.1. */
  final NamedSet hairpin;

  /** A container and the link it is reached through, as are its neighbours. */
  final NamedSet link;

  /** Containers for which every client is masqueraded. */
  final NamedSet masqAll;

  /**
   * What an owner has: the key of its label and a number from 0 on → a {@link HostPort} and its
   * {@link ContainerAddress}.
   */
  final NamedSet owners;

  private FamilySets(
      String version,
      IpFamily family,
      DataType address,
      PacketField source,
      PacketField destination,
      String loopback) {
    this.version = version;
    this.family = family;
    this.loopback = IpAddress.parse(loopback);
    this.source = source;
    this.destination = destination;
    KeyLayout endpoint = KeyLayout.of(address, INET_SERVICE);
    this.ports = map("ports" + version, KeyLayout.of(INET_PROTO, INET_SERVICE), endpoint);
    this.hostIpPorts =
        map("hostip_ports" + version, KeyLayout.of(address, INET_PROTO, INET_SERVICE), endpoint);
    this.waiting =
        map("waiting" + version, KeyLayout.of(address, INET_PROTO, INET_SERVICE, IFNAME), endpoint);
    this.hairpin = set("hairpin" + version, address, address);
    this.link = set("link" + version, IFNAME, address);
    this.masqAll = set("masq_all" + version, address);
    this.owners =
        map(
            "owners" + version,
            KeyLayout.of(IFNAME, INET_SERVICE),
            KeyLayout.of(address, INET_PROTO, INET_SERVICE, address, IFNAME));
  }

  private static NamedSet map(String name, KeyLayout key, KeyLayout data) {
    return NamedSet.map(PortmapTable.TABLE.set(name), key, data);
  }

  private static NamedSet set(String name, DataType... key) {
    return NamedSet.set(PortmapTable.TABLE.set(name), key);
  }

  static FamilySets of(Forward forward) {
    return of(forward.container().address());
  }

  static FamilySets of(IpAddress address) {
    return address.isV4() ? V4 : V6;
  }

  List<NamedSet> all() {
    return List.of(ports, hostIpPorts, waiting, hairpin, link, masqAll, owners);
  }

  /** The elements that forward packets to the container. */
  SetElement forward(Forward forward) {
    return port(forward.port()).to(endpoint(forward));
  }

  private static Value[] endpoint(Forward forward) {
    return new Value[] {
      Value.address(forward.container().address()), Value.port(forward.containerPort())
    };
  }

  /** A test, for a forward on a single address, that nobody has the port on all addresses. */
  List<NetlinkRequest> requireWiderFree(Forward forward) {
    return forward.port().isOnAllAddresses()
        ? List.of()
        : forward(forward.onAllAddresses()).requireAbsent();
  }

  /** The key of a port. */
  SetElement port(HostPort port) {
    Value protocol = protocol(port);
    Value number = Value.port(port.number());
    return port.isOnAllAddresses()
        ? SetElement.of(ports, protocol, number)
        : SetElement.of(hostIpPorts, Value.address(port.address()), protocol, number);
  }

  /** The elements that forward packets to the container once the port is free. */
  SetElement waiting(String label, Forward forward) {
    return waiting(label, forward.port()).to(endpoint(forward));
  }

  private SetElement waiting(String label, HostPort port) {
    return SetElement.of(
        waiting,
        Value.address(port.address()),
        protocol(port),
        Value.port(port.number()),
        owner(label));
  }

  /**
   * The forward that an element of {@link #waiting} waits for; the element does not contain the
   * link.
   */
  Forward awaited(Element element) {
    if (!(element.data() instanceof ElementData.Values(List<Value> values)) || values.size() != 2) {
      throw NetlinkException.malformed("element " + element + " waits for no host port");
    }
    return new Forward(
        port(element.first()),
        new ContainerAddress(values.getFirst().address(), ContainerAddress.NO_LINK),
        Math.toIntExact(values.getLast().number()));
  }

  private static HostPort port(List<Value> values) {
    return new HostPort(
        values.get(0).address(), protocol(values.get(1)), Math.toIntExact(values.get(2).number()));
  }

  SetElement self(ContainerAddress container) {
    Value address = Value.address(container.address());
    return SetElement.of(hairpin, address, address);
  }

  SetElement loopback(ContainerAddress container) {
    return SetElement.of(hairpin, Value.address(loopback), Value.address(container.address()));
  }

  SetElement link(ContainerAddress container) {
    return SetElement.of(
        link, Value.interfaceName(container.link()), Value.address(container.address()));
  }

  SetElement masqAll(ContainerAddress container) {
    return SetElement.of(masqAll, Value.address(container.address()));
  }

  /** The key under which an owner keeps its {@code number}th forward. */
  SetElement owned(String label, int number) {
    return SetElement.of(owners, owner(label), Value.port(number));
  }

  private static Value owner(String label) {
    return Value.interfaceName(NamingHash.word(label, KEY_LETTERS));
  }

  SetElement owned(String label, int number, Forward forward) {
    return owned(label, number)
        .to(
            Value.address(forward.port().address()),
            protocol(forward.port()),
            Value.port(forward.port().number()),
            Value.address(forward.container().address()),
            Value.interfaceName(forward.container().link()));
  }

  /** The forward that an element of {@link #owners} describes. */
  StoredForward stored(Element element) {
    if (!(element.data() instanceof ElementData.Values(List<Value> values)) || values.size() != 5) {
      throw NetlinkException.malformed("element " + element + " describes no host port");
    }
    return new StoredForward(
        port(values), new ContainerAddress(values.get(3).address(), values.get(4).interfaceName()));
  }

  /**
   * The keys of all elements that may exist because of an owner's forward. A waiting forward may be
   * promoted at any time; a search that begins with the waiting ones finds it in one of the two
   * places.
   */
  List<SetElement> possible(String label, StoredForward forward) {
    ContainerAddress container = forward.container();
    return List.of(
        waiting(label, forward.port()),
        port(forward.port()),
        self(container),
        loopback(container),
        link(container),
        masqAll(container));
  }

  static L4Protocol l4(Protocol protocol) {
    return switch (protocol) {
      case TCP -> L4Protocol.TCP;
      case UDP -> L4Protocol.UDP;
      case SCTP -> L4Protocol.SCTP;
    };
  }

  private static Value protocol(HostPort port) {
    return Value.protocol(l4(port.protocol()));
  }

  private static Protocol protocol(Value value) {
    for (Protocol protocol : Protocol.values()) {
      if (l4(protocol).number() == value.number()) {
        return protocol;
      }
    }
    throw NetlinkException.malformed("protocol " + value + " has no ports to forward");
  }

  /** {@code V4} or {@code V6}, as in the names of options. */
  @Override
  public String toString() {
    return "V" + version;
  }
}
