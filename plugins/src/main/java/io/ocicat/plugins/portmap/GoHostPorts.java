package io.ocicat.plugins.portmap;

import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.FailureReason;
import io.ocicat.cni.PortMapping.Protocol;
import io.ocicat.ip.IpAddress;
import io.ocicat.netlink.nft.InstalledRule;
import io.ocicat.netlink.nft.Rules;
import io.ocicat.netlink.nft.TableId;
import io.ocicat.plugins.iptables.IptablesChains;
import io.ocicat.plugins.iptables.PortRule;
import io.ocicat.plugins.net.AttachmentOwner;
import io.ocicat.plugins.net.NetnsSockets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The ports of the host that the Go plugin forwards, in its tables of nf_tables or in iptables. Of
 * two rules for one port the kernel obeys the one whose chain was registered first, so a second one
 * would either do nothing or take the traffic of a container that runs (review K10).
 *
 * <p>The Go plugin does not look at ours, and nothing keeps it from forwarding a port that we
 * forward already.
 */
final class GoHostPorts {
  private static final String NAT = "nat";
  private static final String ENTRY = "CNI-HOSTPORT-DNAT";

  /** What the Go plugin writes on its rule in {@link #ENTRY}; a long text ends in dots. */
  private static final Pattern COMMENT =
      Pattern.compile("dnat name: \"([^\"]*)\" id: \"([^\"]*)(?:\"|\\.\\.\\.)?.*");

  private GoHostPorts() {}

  /**
   * Who has a port.
   *
   * @param network empty where the rules do not tell it
   */
  private record Holder(HostPort port, String network, String container) {
    boolean isOf(AttachmentOwner owner) {
      return container.equals(owner.container().value())
          && (network.isEmpty() || network.equals(owner.network().value()));
    }

    @Override
    public String toString() {
      return network.isEmpty()
          ? "container %s".formatted(container)
          : "container %s on network %s".formatted(container, network);
    }
  }

  /**
   * Looks whether another container has one of the ports by the Go plugin. What the owner's own
   * container has is no obstacle.
   *
   * @throws CniException with code 11 that names who has it
   */
  static void requireFree(NetnsSockets host, AttachmentOwner owner, List<Forward> forwards) {
    for (FamilySets family : FamilySets.BOTH) {
      List<HostPort> wanted = portsOf(family, forwards);
      for (Holder holder : wanted.isEmpty() ? List.<Holder>of() : holders(host, family, wanted)) {
        if (!holder.container().equals(owner.container().value())
            && wanted.stream().anyMatch(holder.port()::overlaps)) {
          throw taken(holder);
        }
      }
    }
  }

  /** Whether the owner's container has all of these ports by the Go plugin. */
  static boolean hasAll(NetnsSockets host, AttachmentOwner owner, List<Forward> forwards) {
    for (FamilySets family : FamilySets.BOTH) {
      List<HostPort> wanted = portsOf(family, forwards);
      if (!wanted.isEmpty()) {
        Set<HostPort> held =
            holders(host, family, wanted).stream()
                .filter(holder -> holder.isOf(owner))
                .map(Holder::port)
                .collect(Collectors.toSet());
        if (!held.containsAll(wanted)) {
          return false;
        }
      }
    }
    return true;
  }

  private static List<HostPort> portsOf(FamilySets family, List<Forward> forwards) {
    return forwards.stream()
        .filter(forward -> FamilySets.of(forward) == family)
        .map(Forward::port)
        .toList();
  }

  private static CniException taken(Holder holder) {
    return new CniException(
            ErrorCode.TRY_AGAIN_LATER,
            "host port %s is taken by %s, by the Go portmap plugin"
                .formatted(holder.port(), holder),
            "end that container, or choose another host port; DEL of it makes the port free"
                + (holder.network().isEmpty() ? "" : ", as does GC of its network"))
        .because(FailureReason.PORT_TAKEN);
  }

  private static List<Holder> holders(NetnsSockets host, FamilySets family, List<HostPort> wanted) {
    Set<Integer> numbers = wanted.stream().map(HostPort::number).collect(Collectors.toSet());
    List<Holder> holders = new ArrayList<>();
    TableId table = GoPortmap.table(family.family);
    for (InstalledRule rule : host.netfilter().list(Rules.in(table))) {
      PortRule.of(rule)
          .flatMap(port -> holder(family, port, "", port.comment()))
          .ifPresent(holders::add);
    }
    for (PortRule rule : IptablesChains.ports(host, family.family, NAT, ENTRY, numbers)) {
      Matcher comment = COMMENT.matcher(rule.comment());
      Optional<Holder> holder =
          comment.matches()
              ? holder(family, rule, comment.group(1), comment.group(2))
              : holder(family, rule, "", "unknown");
      holder.ifPresent(holders::add);
    }
    return holders;
  }

  private static Optional<Holder> holder(
      FamilySets family, PortRule rule, String network, String container) {
    IpAddress address = rule.destination();
    IpAddress all = HostPort.allLike(family.loopback);
    for (Protocol protocol : Protocol.values()) {
      if (FamilySets.l4(protocol) == rule.protocol()) {
        HostPort port = new HostPort(address == null ? all : address, protocol, rule.port());
        return Optional.of(new Holder(port, network, container));
      }
    }
    return Optional.empty();
  }
}
