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
 * The ifb device of one attachment, in which the container's outgoing traffic queues.
 *
 * <p>It has the name that Go gives it, so that either plugin finds it. That name is per container,
 * not per interface: a second interface of a container in the same network gets a name of ours. The
 * alias says whose device it is; Go's devices have none.
 */
record Ifb(AttachmentOwner owner) {
  static final String NAME_PREFIX = "bwp";
  private static final String KIND = "ifb";
  private static final String ALIAS = "cni:";
  private static final int LONGEST_NAME = 15;

  /** The name that the Go plugin uses. */
  String name() {
    return named(owner.network().value() + owner.container().value());
  }

  /** Our name when that one is taken. No network or container id contains a colon. */
  String secondName() {
    return named(
        owner.network().value() + owner.container().value() + ":" + owner.ifName().value());
  }

  Set<String> names() {
    return Set.of(name(), secondName());
  }

  /** The alias that names its owner: {@code cni:network/container/interface}. */
  String alias() {
    return ALIAS + owner.label();
  }

  /** The prefix of the aliases of a network's devices. */
  static String aliasPrefix(NetworkName network) {
    return ALIAS + AttachmentOwner.labelPrefix(network);
  }

  /** Whether the device has an owner's alias. */
  static boolean isOwned(Link link) {
    return link.alias().startsWith(ALIAS);
  }

  private boolean owns(Link link) {
    return link.alias().equals(alias());
  }

  /**
   * Creates it, up but without an alias, which needs a second message.
   *
   * @throws CniException when this very attachment already has one
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
    // Without a queue of its own: packets wait in the token bucket.
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
   * This attachment's device, if it has one. A device without an alias is Go's, and Go has only one
   * per container and network; it is this interface's unless the interface has a device under the
   * second name.
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
