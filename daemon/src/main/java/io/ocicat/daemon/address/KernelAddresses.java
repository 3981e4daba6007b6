package io.ocicat.daemon.address;

import io.ocicat.daemon.state.NamespaceId;
import io.ocicat.ip.IpAddress;
import io.ocicat.netlink.NetlinkSocket;
import io.ocicat.netlink.Protocol;
import io.ocicat.netlink.linux.Errno;
import io.ocicat.netlink.linux.Fd.FileId;
import io.ocicat.netlink.linux.NetlinkException;
import io.ocicat.netlink.ns.NetNs;
import io.ocicat.netlink.route.Addresses;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/** Reads the addresses of all interfaces in network namespaces from the kernel. */
public final class KernelAddresses {
  private static final Path PROCESSES = Path.of("/proc");
  private static final Path NAMED = Path.of("/run/netns");

  private KernelAddresses() {}

  /**
   * The addresses in every namespace that a process is in, or that has a name.
   *
   * @throws NetlinkException when one of them cannot be read: then the answer is unknown
   */
  public static Set<IpAddress> ofMachine() {
    return in(namespaces());
  }

  /**
   * An interface that has an address.
   *
   * @param path leads to its namespace
   * @param link its index there
   */
  public record Holder(NamespaceId namespace, Path path, int link) {}

  /**
   * Who has the addresses of {@link #ofMachine}, except in processes that this one may not inspect:
   * their namespaces belong to a more privileged user, who lets none of our containers in.
   *
   * @throws NetlinkException when a namespace cannot be read: then the answer is unknown
   */
  public static Map<IpAddress, List<Holder>> holders() {
    return holders(namespaces(), e -> isGone(e) || e.is(Errno.EACCES) || e.is(Errno.EPERM));
  }

  private static List<Path> namespaces() {
    List<Path> namespaces = new ArrayList<>(entries(NAMED, "*"));
    entries(PROCESSES, "[0-9]*").forEach(process -> namespaces.add(process.resolve("ns/net")));
    return namespaces;
  }

  /** The addresses in these namespaces; a namespace that is gone has none. */
  static Set<IpAddress> in(List<Path> namespaces) {
    return Set.copyOf(holders(namespaces, KernelAddresses::isGone).keySet());
  }

  private static Map<IpAddress, List<Holder>> holders(
      List<Path> namespaces, Predicate<NetlinkException> passedOver) {
    Set<FileId> seen = new HashSet<>();
    Map<IpAddress, List<Holder>> addresses = new HashMap<>();
    for (Path path : namespaces) {
      try (NetNs namespace = NetNs.open(path)) {
        if (seen.add(namespace.id())) {
          NamespaceId id = new NamespaceId(namespace.id().device(), namespace.id().inode());
          try (NetlinkSocket socket = NetlinkSocket.open(Protocol.ROUTE, namespace)) {
            socket
                .list(Addresses.list())
                .forEach(
                    address ->
                        addresses
                            .computeIfAbsent(address.prefix().address(), _ -> new ArrayList<>())
                            .add(new Holder(id, path, address.device().index())));
          }
        }
      } catch (NetlinkException e) {
        if (!passedOver.test(e)) {
          throw e;
        }
      }
    }
    return addresses;
  }

  /** Whether the process ended, or the namespace was removed before its name. */
  public static boolean isGone(NetlinkException e) {
    return e.is(Errno.ENOENT) || e.is(Errno.ESRCH) || e.is(Errno.EINVAL);
  }

  private static List<Path> entries(Path folder, String pattern) {
    List<Path> entries = new ArrayList<>();
    if (!Files.isDirectory(folder)) {
      return entries;
    }
    try (DirectoryStream<Path> stream = Files.newDirectoryStream(folder, pattern)) {
      stream.forEach(entries::add);
      return entries;
    } catch (NoSuchFileException _) {
      return entries;
    } catch (IOException e) {
      throw new UncheckedIOException("cannot list " + folder, e);
    }
  }
}
