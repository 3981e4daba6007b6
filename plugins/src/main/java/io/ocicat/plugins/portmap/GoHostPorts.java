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
 * The host ports that the Go plugin forwards, in its nf_tables tables or in iptables. Of two rules
 * for one port the kernel applies the one whose chain was registered first, so a second one would
 * either have no effect or take over the traffic of a running container.
 *
 * <p>The Go plugin does not check our table, and nothing keeps it from forwarding a port that we
 * already forward.
 */
final class GoHostPorts {
  private static final String NAT = "nat";
  private static final String ENTRY = "CNI-HOSTPORT-DNAT";

  /** The Go plugin's comment on its rule in {@link #ENTRY}; a long text ends in dots. */
  private static final Pattern COMMENT =
      Pattern.compile("dnat name: \"([^\"]*)\" id: \"([^\"]*)(?:\"|\\.\\.\\.)?.*");

  private GoHostPorts() {}

  /**
   * The holder of a port.
   *
   * @param network empty where the rules do not say
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
   * Checks that the Go plugin forwards none of the ports to another container. Ports of the owner's
   * own container are no obstacle.
   *
   * @throws CniException with code 11 that names the holder
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

  /** Whether the Go plugin forwards all of these ports to the owner's container. */
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
