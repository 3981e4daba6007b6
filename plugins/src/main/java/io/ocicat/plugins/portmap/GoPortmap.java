package io.ocicat.plugins.portmap;

import io.ocicat.cni.ContainerId;
import io.ocicat.cni.NetworkName;
import io.ocicat.netlink.IpFamily;
import io.ocicat.netlink.linux.Errno;
import io.ocicat.netlink.linux.NetlinkException;
import io.ocicat.netlink.nft.InstalledRule;
import io.ocicat.netlink.nft.Rules;
import io.ocicat.netlink.nft.TableFamily;
import io.ocicat.netlink.nft.TableId;
import io.ocicat.plugins.iptables.ChainName;
import io.ocicat.plugins.iptables.IptablesChains;
import io.ocicat.plugins.net.AttachmentOwner;
import io.ocicat.plugins.net.NetnsSockets;
import io.ocicat.plugins.support.BestEffort;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The port forwarding rules of the Go plugin: an iptables chain for each container or, since
 * version 1.6 if configured, rules in nf_tables tables of its own.
 */
final class GoPortmap {
  private static final String NAT = "nat";
  private static final String PORTS = "CNI-DN-";

  /** Of versions before 0.8. */
  private static final String HAIRPIN = "CNI-SN-";

  private static final List<TableId> TABLES =
      List.of(
          new TableId(TableFamily.IP, "cni_hostport"),
          new TableId(TableFamily.IP6, "cni_hostport"));

  /** An attempt fails only when somebody removed one of the same rules in between. */
  private static final int ATTEMPTS = 20;

  private GoPortmap() {}

  /**
   * Removes what belongs to the owner. The rules in nf_tables name only the container, for the Go
   * plugin as well: those of its other networks are removed, too.
   */
  static void remove(NetnsSockets host, AttachmentOwner owner) {
    BestEffort.all(
        () -> IptablesChains.remove(host, NAT, chain(PORTS, owner.network(), owner.container())),
        () -> IptablesChains.remove(host, NAT, chain(HAIRPIN, owner.network(), owner.container())),
        () -> TABLES.forEach(table -> removeRules(host, table, owner.container())));
  }

  /**
   * Removes the chains of containers that are no longer on the network. Rules in nf_tables are left
   * alone: they do not name their network.
   */
  static void collect(NetnsSockets host, NetworkName network, Set<AttachmentOwner> valid) {
    Set<String> keep =
        valid.stream()
            .map(owner -> chain(PORTS, network, owner.container()))
            .collect(Collectors.toSet());
    String comment = "dnat name: \"%s\" id: \"".formatted(network);
    IptablesChains.collect(host, NAT, PORTS, comment, keep);
  }

  /** Whether the Go plugin forwards ports of a family to the owner. */
  static boolean isInstalled(NetnsSockets host, AttachmentOwner owner, IpFamily family) {
    TableId table = table(family);
    return IptablesChains.isReached(
            host, family, NAT, chain(PORTS, owner.network(), owner.container()))
        || !rules(host, table, owner.container()).isEmpty();
  }

  /** The table of newer versions that are configured, or have, to use nf_tables. */
  static TableId table(IpFamily family) {
    return TABLES.get(family == IpFamily.V4 ? 0 : 1);
  }

  private static void removeRules(NetnsSockets host, TableId table, ContainerId container) {
    for (int attempt = 1; ; attempt++) {
      List<InstalledRule> found = rules(host, table, container);
      try {
        host.netfilter().transact(found.stream().map(Rules::delete).toList());
        return;
      } catch (NetlinkException e) {
        if (!e.is(Errno.ENOENT) || attempt == ATTEMPTS) {
          throw e;
        }
      }
    }
  }

  private static List<InstalledRule> rules(
      NetnsSockets host, TableId table, ContainerId container) {
    return host.netfilter()
        .list(Rules.in(table).where(rule -> rule.comment().equals(container.value())));
  }

  private static String chain(String prefix, NetworkName network, ContainerId container) {
    return ChainName.of(prefix, network, container);
  }
}
