package io.ocicat.conformance.lab;

import io.ocicat.conformance.subject.ConformanceException;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import io.ocicat.netlink.NetlinkSocket;
import io.ocicat.netlink.Protocol;
import io.ocicat.netlink.link.Link;
import io.ocicat.netlink.link.LinkKind;
import io.ocicat.netlink.link.LinkSettings;
import io.ocicat.netlink.link.Links;
import io.ocicat.netlink.linux.NetlinkException;
import io.ocicat.netlink.ns.NamedNetNs;
import io.ocicat.netlink.ns.NetNs;
import io.ocicat.netlink.route.Address;
import io.ocicat.netlink.route.Addresses;
import io.ocicat.netlink.route.Device;
import io.ocicat.netlink.route.Route;
import io.ocicat.netlink.route.Routes;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A network namespace of a lab: the host, or a container. Changes made in it go into the
 * transcript; reads do not.
 */
public final class LabNamespace implements AutoCloseable {
  private static final NamedNetNs NAMED = NamedNetNs.standard();
  private static final IpPrefix EVERYWHERE = IpPrefix.parse("0.0.0.0/0");

  private final Path path;
  private final NetNs namespace;
  private final NetlinkSocket net;
  private final Transcript transcript;
  private final boolean borrowed;
  private final Set<Integer> before;

  private LabNamespace(Path path, NetNs namespace, Transcript transcript, boolean borrowed) {
    this.path = path;
    this.namespace = namespace;
    this.net = NetlinkSocket.open(Protocol.ROUTE, namespace);
    this.transcript = transcript;
    this.borrowed = borrowed;
    this.before = links().stream().map(Link::index).collect(Collectors.toUnmodifiableSet());
  }

  static LabNamespace create(String name, Transcript transcript) {
    transcript.addCommand("ip netns add " + name);
    return new LabNamespace(NAMED.pathOf(name), create(name), transcript, false);
  }

  private static NetNs create(String name) {
    try {
      return NAMED.create(name);
    } catch (NetlinkException | UncheckedIOException e) {
      throw new ConformanceException(
          "cannot create a network namespace: %s; this needs root: run it with sudo, or in a user namespace (unshare --user --map-root-user --mount, and a /run of its own)"
              .formatted(e.getMessage()),
          e);
    }
  }

  /** One that belongs to the user: it is left as it was found. */
  static LabNamespace borrow(Path path, Transcript transcript) {
    return new LabNamespace(path, NetNs.open(path), transcript, true);
  }

  /** As CNI_NETNS names it. */
  public Path path() {
    return path;
  }

  NetNs handle() {
    return namespace;
  }

  public List<Link> links() {
    return net.list(Links.all());
  }

  public Optional<Link> link(String name) {
    return net.find(Links.named(name));
  }

  public boolean hasLink(String name) {
    return link(name).isPresent();
  }

  /** The addresses that were assigned to a link, without those that IPv6 makes itself. */
  public List<IpPrefix> addresses(String link) {
    return link(link).stream()
        .flatMap(found -> net.list(Addresses.list(Device.of(found))).stream())
        .map(Address::prefix)
        .filter(prefix -> !(prefix.isV6() && prefix.address().isLinkLocal()))
        .toList();
  }

  public Snapshot snapshot() {
    return Snapshot.of(net);
  }

  public void up(String link) {
    net.perform(Links.set(link, LinkSettings.none().up()));
    addCommand("ip link set %s up".formatted(link));
  }

  public void down(String link) {
    net.perform(Links.set(link, LinkSettings.none().down()));
    addCommand("ip link set %s down".formatted(link));
  }

  public void mtu(String link, int mtu) {
    net.perform(Links.set(link, LinkSettings.none().mtu(mtu)));
    addCommand("ip link set %s mtu %d".formatted(link, mtu));
  }

  public void delete(String link) {
    net.perform(Links.delete(link));
    addCommand("ip link del " + link);
  }

  /** Creates a link that no plugin made: a bridge, because every kernel with plugins has those. */
  public void addForeignLink(String link) {
    net.perform(Links.create(LinkSettings.named(link), new LinkKind.Bridge()));
    addCommand("ip link add %s type bridge".formatted(link));
  }

  /** Creates a veth pair, both ends up. */
  void veth(String link, LabNamespace other, String otherLink) {
    net.perform(
        Links.create(
            LinkSettings.named(link),
            new LinkKind.Veth(LinkSettings.named(otherLink).in(other.namespace))));
    addCommand(
        "ip link add %s type veth peer name %s netns %s"
            .formatted(link, otherLink, Shell.quote(other.path.toString())));
    up(link);
    other.up(otherLink);
  }

  void address(String link, IpPrefix prefix) {
    net.perform(Addresses.add(Address.of(prefix, device(link))));
    addCommand("ip address add %s dev %s".formatted(prefix, link));
  }

  void defaultRoute(IpAddress gateway) {
    net.perform(Routes.add(Route.to(EVERYWHERE).via(gateway)));
    addCommand("ip route add default via " + gateway);
  }

  private Device device(String link) {
    return Device.of(
        link(link).orElseThrow(() -> new IllegalStateException("no link " + link + " in " + path)));
  }

  private void addCommand(String command) {
    transcript.addCommand("nsenter --net=%s %s".formatted(Shell.quote(path.toString()), command));
  }

  boolean isBorrowed() {
    return borrowed;
  }

  /** A borrowed namespace is left with the links that it had. */
  @Override
  public void close() {
    if (borrowed) {
      net.attempt(
          links().stream()
              .map(Link::index)
              .filter(index -> !before.contains(index))
              .map(Links::delete)
              .toList());
    }
    net.close();
    namespace.close();
    if (!borrowed) {
      NAMED.remove(path.getFileName().toString());
    }
  }

  @Override
  public String toString() {
    return path.toString();
  }
}
