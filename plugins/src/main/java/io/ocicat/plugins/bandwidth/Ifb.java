package io.ocicat.plugins.bandwidth;

import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.NetworkName;
import io.ocicat.netlink.link.Link;
import io.ocicat.netlink.link.LinkKind;
import io.ocicat.netlink.link.LinkSettings;
import io.ocicat.netlink.link.Links;
import io.ocicat.netlink.linux.Errno;
import io.ocicat.netlink.linux.NetlinkException;
import io.ocicat.plugins.net.AttachmentOwner;
import io.ocicat.plugins.net.NamingHash;
import io.ocicat.plugins.net.NetnsSockets;
import java.util.Optional;
import java.util.Set;

/**
 * The intermediate device of one attachment: what the container sends queues up there.
 *
 * <p>It is called as Go calls it, so that either plugin finds it. That name is the container's, not
 * the interface's: a second interface of a container in the same network gets a name of ours. Whose
 * a device is says its alias, which Go's have not.
 */
record Ifb(AttachmentOwner owner) {
  static final String NAME_PREFIX = "bwp";
  private static final String KIND = "ifb";
  private static final String ALIAS = "cni:";
  private static final int LONGEST_NAME = 15;

  /** As Go calls it. */
  String name() {
    return named(owner.network().value() + owner.container().value());
  }

  /** As we call it when that name is taken. No network or container id holds a colon. */
  String secondName() {
    return named(
        owner.network().value() + owner.container().value() + ":" + owner.ifName().value());
  }

  Set<String> names() {
    return Set.of(name(), secondName());
  }

  /** Says whose it is: {@code cni:network/container/interface}. */
  String alias() {
    return ALIAS + owner.label();
  }

  /** What the aliases of a network's devices begin with. */
  static String aliasPrefix(NetworkName network) {
    return ALIAS + AttachmentOwner.labelPrefix(network);
  }

  /** Whether somebody's name is on it. */
  static boolean isOwned(Link link) {
    return link.alias().startsWith(ALIAS);
  }

  private boolean owns(Link link) {
    return link.alias().equals(alias());
  }

  /**
   * Makes it, up but without an alias: that needs a second message.
   *
   * @throws CniException when this very attachment has one
   */
  Link create(NetnsSockets host, int mtu) {
    try {
      return create(host, name(), mtu);
    } catch (NetlinkException e) {
      if (!e.is(Errno.EEXIST)) {
        throw e;
      }
    }
    if (host.link(name()).filter(this::owns).isPresent()) {
      throw exists(name());
    }
    try {
      return create(host, secondName(), mtu);
    } catch (NetlinkException e) {
      throw e.is(Errno.EEXIST) ? exists(secondName()) : e;
    }
  }

  private static Link create(NetnsSockets host, String name, int mtu) {
    // Without a queue of its own: what waits, waits in the token bucket.
    LinkSettings settings = LinkSettings.named(name).mtu(mtu).txQueueLength(0).up();
    return Links.create(host.route(), settings, new LinkKind.Ifb());
  }

  private CniException exists(String name) {
    return new CniException(
        ErrorCode.INTERNAL,
        "ifb \"%s\" of interface %s already exists".formatted(name, owner.ifName().value()),
        "ADD ran before for this interface: run DEL first");
  }

  /**
   * This attachment's device, if it has one. One without an alias is Go's, and Go has but one per
   * container and network; it is this interface's unless that has a device under the second name.
   */
  Optional<Link> find(NetnsSockets host) {
    Optional<Link> second = ifb(host, secondName());
    return second.isPresent()
        ? second
        : ifb(host, name()).filter(link -> owns(link) || !isOwned(link));
  }

  private static Optional<Link> ifb(NetnsSockets host, String name) {
    return host.link(name).filter(link -> link.kind().equals(KIND));
  }

  private static String named(String text) {
    return NamingHash.name(NAME_PREFIX, text, LONGEST_NAME);
  }
}
