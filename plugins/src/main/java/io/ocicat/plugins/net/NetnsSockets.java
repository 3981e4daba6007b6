package io.ocicat.plugins.net;

import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.plugin.Call;
import io.ocicat.cni.plugin.Netns;
import io.ocicat.netlink.NetfilterSockets;
import io.ocicat.netlink.NetlinkSocket;
import io.ocicat.netlink.Protocol;
import io.ocicat.netlink.link.Link;
import io.ocicat.netlink.link.Links;
import io.ocicat.netlink.linux.Errno;
import io.ocicat.netlink.linux.NetlinkException;
import io.ocicat.netlink.nft.Generation;
import io.ocicat.netlink.ns.NetNs;
import io.ocicat.netlink.ns.Sysctl;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The network namespace of one side of an attachment, the host's or the container's, with netlink
 * sockets that are opened on first use. Belongs to one call; not thread-safe.
 */
public final class NetnsSockets implements AutoCloseable {
  /** Without netfilter sockets, or without nf_tables. */
  private static final Set<Errno> UNAVAILABLE =
      Set.of(Errno.EPROTONOSUPPORT, Errno.EINVAL, Errno.EOPNOTSUPP);

  private final NetNs namespace;
  private @Nullable NetlinkSocket route;
  private @Nullable NetlinkSocket netfilter;
  private @Nullable Boolean nfTables;

  private NetnsSockets(NetNs namespace) {
    this.namespace = namespace;
  }

  /** The namespace of the plugin's caller. */
  public static NetnsSockets ofHost(Call call) {
    return of(call.hostNetns());
  }

  /** A namespace by its file, which must exist. */
  public static NetnsSockets of(Path namespace) {
    return new NetnsSockets(NetNs.open(namespace));
  }

  /**
   * The container's namespace, which must exist.
   *
   * @throws CniException with code 8 when it does not
   */
  public static NetnsSockets of(Netns netns) {
    try {
      return new NetnsSockets(NetNs.open(netns.path()));
    } catch (NetlinkException e) {
      throw new CniException(
          ErrorCode.INVALID_NETNS,
          "failed to open netns \"%s\": %s".formatted(netns, e.errno()),
          e);
    }
  }

  /**
   * The container's namespace, if it still exists, for DEL. A path that is a regular file counts as
   * gone: that is what a reboot leaves of a bind mount.
   */
  public static Optional<NetnsSockets> ofRemaining(Optional<Netns> netns) {
    if (netns.isEmpty()) {
      return Optional.empty();
    }
    try {
      return Optional.of(new NetnsSockets(NetNs.open(netns.get().path())));
    } catch (NetlinkException e) {
      if (e.is(Errno.ENOENT) || e.is(Errno.EINVAL) || e.is(Errno.ENOTDIR) || e.is(Errno.ESRCH)) {
        return Optional.empty();
      }
      throw e;
    }
  }

  public NetNs namespace() {
    return namespace;
  }

  /** For links, addresses, routes and traffic control. */
  public NetlinkSocket route() {
    NetlinkSocket open = route;
    if (open == null) {
      open = NetlinkSocket.open(Protocol.ROUTE, namespace);
      route = open;
    }
    return open;
  }

  /** For nf_tables and connection tracking. */
  public NetlinkSocket netfilter() {
    NetlinkSocket open = netfilter;
    if (open == null) {
      open = NetfilterSockets.borrow(namespace);
      netfilter = open;
    }
    return open;
  }

  /**
   * Whether the kernel has nf_tables. If not, nothing can have been left in it, and DEL has nothing
   * to report.
   */
  public boolean hasNfTables() {
    Boolean known = nfTables;
    if (known == null) {
      known = queryNfTables();
      nfTables = known;
    }
    return known;
  }

  private boolean queryNfTables() {
    try {
      return netfilter().find(Generation.current()).isPresent();
    } catch (NetlinkException e) {
      if (UNAVAILABLE.contains(e.errno())) {
        return false;
      }
      throw e;
    }
  }

  public Optional<Link> link(String name) {
    return route().find(Links.named(name));
  }

  /**
   * A link that must exist.
   *
   * @throws CniException naming it
   */
  public Link requireLink(String name) {
    return link(name)
        .orElseThrow(
            () -> new CniException(ErrorCode.INTERNAL, "link \"%s\" not found".formatted(name)));
  }

  public String read(Sysctl setting) {
    return setting.readIn(namespace);
  }

  public void write(Sysctl setting, String value) {
    setting.writeIn(namespace, value);
  }

  /** Writes an optional setting, which some kernels do not have. */
  public void writeIfPossible(Sysctl setting, String value) {
    writeIfPossible(Map.of(setting, value));
  }

  /** The same for several, in one visit. */
  public void writeIfPossible(Map<Sysctl, String> settings) {
    visit(() -> settings.forEach(NetnsSockets::writeHereIfPossible));
  }

  /**
   * Runs something short inside the namespace, and opens the socket that will be needed while
   * there.
   */
  public void visit(Runnable errand) {
    route =
        namespace.visit(
            () -> {
              errand.run();
              return route == null ? NetlinkSocket.open(Protocol.ROUTE) : route;
            });
  }

  /** Inside a visit: writes an optional setting, which some kernels do not have. */
  public static void writeHereIfPossible(Sysctl setting, String value) {
    try {
      setting.write(value);
    } catch (NetlinkException e) {
      // No IPv6, or /proc/sys is read-only: the plugin works without it.
    }
  }

  @Override
  public void close() {
    // Closing a descriptor never throws: the number is free whatever the kernel returns.
    if (route != null) {
      route.close();
    }
    if (netfilter != null) {
      NetfilterSockets.release(namespace, netfilter);
    }
    namespace.close();
  }
}
