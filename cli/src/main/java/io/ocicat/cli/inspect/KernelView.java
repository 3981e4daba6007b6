package io.ocicat.cli.inspect;

import io.ocicat.daemon.info.Attached;
import io.ocicat.netlink.NetlinkException;
import io.ocicat.netlink.NetlinkSocket;
import io.ocicat.netlink.Protocol;
import io.ocicat.netlink.link.Link;
import io.ocicat.netlink.link.Links;
import io.ocicat.netlink.ns.NetNs;
import io.ocicat.netlink.route.Addresses;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** Whether the kernel has what ADD made. */
final class KernelView {
  private KernelView() {}

  static Verdict of(Attached attached, List<String> sentences) {
    if (attached.netns().isEmpty()) {
      return Verdict.ATTACHED;
    }
    if (!attached.netnsIsThere()) {
      sentences.add("%s no longer refers to the original namespace".formatted(attached.netns()));
      return Verdict.NETNS_GONE;
    }
    try (NetNs netns = NetNs.open(Path.of(attached.netns()));
        NetlinkSocket socket = NetlinkSocket.open(Protocol.ROUTE, netns)) {
      return inside(socket, attached, sentences);
    } catch (NetlinkException e) {
      sentences.add("its namespace cannot be looked into: " + e.getMessage());
      return Verdict.NETNS_GONE;
    }
  }

  private static Verdict inside(NetlinkSocket socket, Attached attached, List<String> sentences) {
    Optional<Link> link = socket.find(Links.named(attached.ifName()));
    if (link.isEmpty()) {
      sentences.add("there is no %s in %s any more".formatted(attached.ifName(), attached.netns()));
      return Verdict.INTERFACE_GONE;
    }
    if (!link.get().isUp()) {
      sentences.add("%s is down".formatted(attached.ifName()));
      return Verdict.INTERFACE_DOWN;
    }
    Set<String> there =
        socket.list(Addresses.list()).stream()
            .map(address -> address.prefix().toString())
            .collect(Collectors.toSet());
    List<String> lost = attached.addresses().stream().filter(a -> !there.contains(a)).toList();
    if (!lost.isEmpty()) {
      sentences.add(
          "%s has no address %s".formatted(attached.ifName(), String.join(" and ", lost)));
      return Verdict.ADDRESS_GONE;
    }
    return Verdict.ATTACHED;
  }
}
