package io.ocicat.netlink.link;

import static io.ocicat.netlink.NetlinkRequest.CREATE;
import static io.ocicat.netlink.NetlinkRequest.EXCLUSIVE;

import io.ocicat.ip.MacAddress;
import io.ocicat.netlink.MessageWriter;
import io.ocicat.netlink.NetlinkMessage;
import io.ocicat.netlink.NetlinkQuery;
import io.ocicat.netlink.NetlinkRequest;
import io.ocicat.netlink.NetlinkSocket;
import io.ocicat.netlink.RequestOutcome;
import io.ocicat.netlink.Topic;
import io.ocicat.netlink.link.LinkKind.Veth;
import io.ocicat.netlink.linux.Errno;
import io.ocicat.netlink.linux.NetlinkException;
import io.ocicat.netlink.ns.NetNs;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Requests and queries about network interfaces: find, create, change and delete them. */
public final class Links {
  /** Links that appear, change or go. */
  public static final Topic<Link> CHANGES =
      Topic.of(Rtnl.NEWLINK, Rtnl.DELLINK, Link::read, Rtnl.GROUP_LINK)
          // Bridges announce their ports by the same messages: a port that leaves would seem
          // deleted.
          .only(message -> message.header(Rtnl.IFINFOMSG).get(0) == Rtnl.AF_UNSPEC);

  private static final int ECHO = 0x8;

  /** Omits counters, which make up a third of a link's description and which nobody here needs. */
  private static final int SKIP_STATS = 8;

  private Links() {}

  public static NetlinkQuery<Link> all() {
    return list(out -> {}, () -> "list links");
  }

  public static NetlinkQuery<Link> named(String name) {
    return get(Target.of(name));
  }

  public static NetlinkQuery<Link> byIndex(int index) {
    return get(Target.of(index));
  }

  /**
   * The number by which links of the queried namespace refer to another one, as in {@link
   * Link#peerNamespace}; -1 when no link leads there.
   */
  public static NetlinkQuery<Integer> numberOf(NetNs other) {
    return NetlinkQuery.one(
        Rtnl.GETNSID,
        out -> out.zeros(Rtnl.RTGENMSG).u32(Rtnl.NSID_FD, other.descriptor()),
        message -> message.attributes(Rtnl.RTGENMSG).u32(Rtnl.NSID, -1),
        () -> "get number of network namespace " + other.id());
  }

  /** Links of a kind, such as {@code veth}; the kernel sends no others. */
  public static NetlinkQuery<Link> ofKind(String kind) {
    return list(
            out -> out.nest(Rtnl.LINKINFO, () -> out.bytes(Rtnl.INFO_KIND, LinkInfo.ascii(kind))),
            () -> "list links of kind " + kind)
        // Kernels that do not know the kind send everything.
        .where(link -> link.kind().equals(kind));
  }

  /** The ports of a bridge; the kernel sends no others. */
  public static NetlinkQuery<Link> masteredBy(int master) {
    Rtnl.positive(master);
    return list(out -> out.u32(Rtnl.MASTER, master), () -> "list links with master " + master)
        .where(link -> link.master() == master);
  }

  public static NetlinkQuery<Link> inGroup(int group) {
    return all().where(link -> link.group() == group);
  }

  /**
   * Creates a link. All settings apply from the first moment, and {@code up} may be among them;
   * fails with EEXIST when the name is taken.
   */
  public static NetlinkRequest create(LinkSettings settings, LinkKind kind) {
    return create(settings, kind, 0);
  }

  /**
   * Creates a link and returns its initial state: with its index and its peer's, but before it
   * joins its master. A single exchange on Linux 6.2 or newer, two elsewhere.
   *
   * @param then sent along, for what cannot be part of the creation: refer to the new link by its
   *     name. If the creation fails these are tried nevertheless; if one of them fails the link is
   *     deleted again.
   */
  public static Link create(
      NetlinkSocket net, LinkSettings settings, LinkKind kind, NetlinkRequest... then) {
    if (settings.mention(Rtnl.NET_NS_FD)) {
      throw new IllegalArgumentException(
          "a link created in another namespace (%s) must be queried there".formatted(settings));
    }
    List<NetlinkRequest> requests = new ArrayList<>(then.length + 1);
    requests.add(create(settings, kind, ECHO));
    requests.addAll(List.of(then));
    List<RequestOutcome> outcomes = net.attempt(requests);
    Link made = created(net, outcomes.getFirst(), settings);
    try {
      RequestOutcome.requireAll(outcomes);
    } catch (NetlinkException e) {
      net.attempt(List.of(delete(made.index())));
      throw e;
    }
    return made;
  }

  /** Changes what is set, in one message. */
  public static NetlinkRequest set(int index, LinkSettings settings) {
    return set(Target.of(index), settings);
  }

  /** The same by name, for a link created by the same send. Cannot rename. */
  public static NetlinkRequest set(String name, LinkSettings settings) {
    if (settings.name() != null) {
      throw new IllegalArgumentException(
          "renaming link \"%s\" to \"%s\" needs its index".formatted(name, settings.name()));
    }
    return set(Target.of(name), settings);
  }

  /** Changes the options of a link's kind that are set. */
  public static NetlinkRequest configure(int index, LinkKind kind) {
    Target target = Target.of(index);
    return NetlinkRequest.of(
        Rtnl.NEWLINK,
        0,
        out -> LinkInfo.write(target.write(out, 0, 0), kind),
        () -> "configure %s %s".formatted(kind.kind(), target));
  }

  /** Changes the options of an existing bridge port. */
  public static NetlinkRequest setPort(int index, BridgePort port) {
    return setPort(Target.of(index), port);
  }

  public static NetlinkRequest setPort(String name, BridgePort port) {
    return setPort(Target.of(name), port);
  }

  public static NetlinkRequest up(int index) {
    return set(index, LinkSettings.none().up());
  }

  public static NetlinkRequest down(int index) {
    return set(index, LinkSettings.none().down());
  }

  public static NetlinkRequest rename(int index, String name) {
    return set(index, LinkSettings.named(name));
  }

  public static NetlinkRequest setMac(int index, MacAddress mac) {
    return set(index, LinkSettings.none().mac(mac));
  }

  public static NetlinkRequest setMtu(int index, int mtu) {
    return set(index, LinkSettings.none().mtu(mtu));
  }

  public static NetlinkRequest setMaster(int index, int master) {
    return set(index, LinkSettings.none().master(master));
  }

  public static NetlinkRequest noMaster(int index) {
    return set(index, LinkSettings.none().noMaster());
  }

  public static NetlinkRequest setGroup(int index, int group) {
    return set(index, LinkSettings.none().group(group));
  }

  public static NetlinkRequest setAlias(int index, String alias) {
    return set(index, LinkSettings.none().alias(alias));
  }

  public static NetlinkRequest setPromiscuous(int index, boolean on) {
    return set(index, LinkSettings.none().promiscuous(on));
  }

  public static NetlinkRequest setAllMulticast(int index, boolean on) {
    return set(index, LinkSettings.none().allMulticast(on));
  }

  public static NetlinkRequest setTxQueueLength(int index, int packets) {
    return set(index, LinkSettings.none().txQueueLength(packets));
  }

  /** Moves a link, which costs 15 ms under the kernel's global lock: better to create it there. */
  public static NetlinkRequest moveTo(int index, NetNs namespace) {
    return set(index, LinkSettings.none().in(namespace));
  }

  /** A veth's peer is deleted with it. */
  public static NetlinkRequest delete(int index) {
    return delete(Target.of(index));
  }

  public static NetlinkRequest delete(String name) {
    return delete(Target.of(name));
  }

  /**
   * Deletes every link of a group, with about the same wait as one alone. Fails with ENODEV when
   * there is none, with EPERM for group 0.
   */
  public static NetlinkRequest deleteGroup(int group) {
    return NetlinkRequest.of(
        Rtnl.DELLINK,
        0,
        out -> Rtnl.header(out, 0).u32(Rtnl.GROUP, group),
        () -> "delete links of group " + Integer.toUnsignedString(group));
  }

  private static NetlinkRequest create(LinkSettings settings, LinkKind kind, int flags) {
    if (settings.mention(Rtnl.IFALIAS)) {
      throw new IllegalArgumentException(
          "Linux ignores the alias of a new link (%s): set it in a message after the creation"
              .formatted(settings));
    }
    if (kind instanceof Veth(LinkSettings peer) && peer.index() != 0 && settings.index() == 0) {
      throw new IllegalArgumentException(
          "Linux ignores the index of a veth's peer (%d) unless the veth is given one too"
              .formatted(peer.index()));
    }
    return NetlinkRequest.of(
        Rtnl.NEWLINK,
        CREATE | EXCLUSIVE | flags,
        out -> {
          settings.write(out);
          LinkInfo.write(out, kind);
        },
        () -> describe(settings, kind));
  }

  private static NetlinkRequest set(Target target, LinkSettings settings) {
    // Not RTM_NEWLINK: for kernels before 6.0, one with a group and a name that does not exist
    // changes every link in that group.
    return NetlinkRequest.of(
        Rtnl.SETLINK,
        0,
        out -> settings.write(out, target),
        () -> "set link %s %s".formatted(target, settings));
  }

  private static NetlinkRequest setPort(Target target, BridgePort port) {
    return NetlinkRequest.of(
        Rtnl.NEWLINK,
        0,
        out -> target.write(out, 0, 0).nest(Rtnl.LINKINFO, () -> port.write(out)),
        () -> "set bridge port %s %s".formatted(target, port));
  }

  private static NetlinkRequest delete(Target target) {
    return NetlinkRequest.of(
        Rtnl.DELLINK, 0, out -> target.write(out, 0, 0), () -> "delete link " + target);
  }

  /** The link in the kernel's echo or, without one, the link of the same name. */
  static Link created(NetlinkSocket net, RequestOutcome outcome, LinkSettings settings) {
    List<NetlinkMessage> echo =
        switch (outcome) {
          case RequestOutcome.Done done -> done.replies();
          case RequestOutcome.Failed failed -> throw failed.cause();
        };
    if (!echo.isEmpty()) {
      return Link.read(echo.getFirst());
    }
    String operation = outcome.request().operation();
    if (settings.name() == null) {
      throw new NetlinkException(
          operation,
          Errno.EOPNOTSUPP,
          "kernels before 6.2 do not say how they named a link: give it a name");
    }
    return net.find(named(settings.name()))
        .orElseThrow(
            () -> new NetlinkException(operation, Errno.ENODEV, "it is gone again already"));
  }

  private static String describe(LinkSettings settings, LinkKind kind) {
    String link = kind.kind() + quoted(settings);
    return "create "
        + (kind instanceof Veth(LinkSettings peer) ? link + " with peer" + quoted(peer) : link);
  }

  private static String quoted(LinkSettings settings) {
    return settings.name() == null ? "" : " \"" + settings.name() + "\"";
  }

  private static NetlinkQuery<Link> get(Target target) {
    return NetlinkQuery.one(
        Rtnl.GETLINK,
        out -> target.write(out, 0, 0).u32(Rtnl.EXT_MASK, SKIP_STATS),
        Link::read,
        () -> "get link " + target);
  }

  private static NetlinkQuery<Link> list(
      Consumer<MessageWriter> filter, Supplier<String> operation) {
    return NetlinkQuery.all(
        Rtnl.GETLINK,
        out -> filter.accept(Rtnl.header(out, 0).u32(Rtnl.EXT_MASK, SKIP_STATS)),
        Link::read,
        operation);
  }
}
