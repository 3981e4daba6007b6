package io.ocicat.sandbox.network;

import io.ocicat.ip.IpAddress;
import io.ocicat.netlink.IpFamily;
import io.ocicat.netlink.NetlinkSocket;
import io.ocicat.netlink.Protocol;
import io.ocicat.netlink.link.Link;
import io.ocicat.netlink.link.Links;
import io.ocicat.netlink.linux.NetlinkException;
import io.ocicat.netlink.ns.NetNs;
import io.ocicat.netlink.route.Address;
import io.ocicat.netlink.route.Addresses;
import io.ocicat.netlink.route.Device;
import io.ocicat.netlink.route.Scope;
import io.ocicat.sandbox.SandboxException;
import io.ocicat.sandbox.SandboxException.Reason;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Inspects the part of a pod's network that is in its own namespace. */
final class PodInterface {
  private PodInterface() {}

  /** Whether the path is a network namespace; after a reboot it is an empty file. */
  static boolean isNetns(String path) {
    if (path.isEmpty()) {
      return false;
    }
    try (NetNs _ = NetNs.open(Path.of(path))) {
      return true;
    } catch (NetlinkException _) {
      return false;
    }
  }

  static void bringLoopbackUp(String netns) {
    try (NetNs inside = NetNs.open(Path.of(netns));
        NetlinkSocket socket = NetlinkSocket.open(Protocol.ROUTE, inside)) {
      socket.perform(Links.up(1));
    }
  }

  /**
   * Returns the addresses by which others reach the pod: the first of each family, IPv4 first.
   *
   * @throws SandboxException when there is none
   */
  static List<IpAddress> addresses(String netns) {
    List<IpAddress> found = new ArrayList<>();
    try (NetNs inside = NetNs.open(Path.of(netns));
        NetlinkSocket socket = NetlinkSocket.open(Protocol.ROUTE, inside)) {
      Link link =
          socket
              .find(Links.named(PodAttachment.INTERFACE))
              .orElseThrow(
                  () ->
                      new SandboxException(
                          Reason.FAILED, "there is no %s".formatted(PodAttachment.INTERFACE)));
      for (IpFamily family : List.of(IpFamily.V4, IpFamily.V6)) {
        socket.list(Addresses.list(family, Device.of(link))).stream()
            .filter(address -> address.scope().equals(Scope.UNIVERSE))
            .map(Address::prefix)
            .map(prefix -> prefix.address())
            .findFirst()
            .ifPresent(found::add);
      }
    } catch (NetlinkException e) {
      throw new SandboxException(Reason.FAILED, SandboxException.text(e), e);
    }
    if (found.isEmpty()) {
      throw new SandboxException(
          Reason.FAILED, "%s has no address".formatted(PodAttachment.INTERFACE));
    }
    return found;
  }

  /**
   * Returns what is missing of the pod's interface.
   *
   * @param ips the addresses that were assigned to it
   * @return empty when nothing is missing
   */
  static String fault(String netns, List<String> ips) {
    try (NetNs inside = NetNs.open(Path.of(netns));
        NetlinkSocket socket = NetlinkSocket.open(Protocol.ROUTE, inside)) {
      Optional<Link> link = socket.find(Links.named(PodAttachment.INTERFACE));
      if (link.isEmpty()) {
        return "it has no %s any more".formatted(PodAttachment.INTERFACE);
      }
      if (!link.get().isUp()) {
        return "its %s is down".formatted(PodAttachment.INTERFACE);
      }
      List<String> present =
          socket.list(Addresses.list(Device.of(link.get()))).stream()
              .map(address -> address.prefix().address().toString())
              .toList();
      List<String> lost = ips.stream().filter(ip -> !present.contains(ip)).toList();
      return lost.isEmpty()
          ? ""
          : "its %s has lost the address %s"
              .formatted(PodAttachment.INTERFACE, String.join(" and ", lost));
    } catch (NetlinkException e) {
      return "its network cannot be inspected: " + SandboxException.text(e);
    }
  }
}
