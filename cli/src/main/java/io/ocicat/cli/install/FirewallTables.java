package io.ocicat.cli.install;

import io.ocicat.agent.nft.PolicyTable;
import io.ocicat.netlink.NetlinkSocket;
import io.ocicat.netlink.linux.NetlinkException;
import io.ocicat.netlink.nft.Elements;
import io.ocicat.netlink.nft.Rules;
import io.ocicat.netlink.nft.Sets;
import io.ocicat.netlink.nft.Table;
import io.ocicat.netlink.nft.TableId;
import io.ocicat.netlink.nft.Tables;
import io.ocicat.plugins.calico.NatOutgoingHandOver;
import io.ocicat.plugins.net.NetnsSockets;
import io.ocicat.plugins.net.PluginTables;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The nf_tables tables that our plugins have made in the host's network namespace. Plugins leave
 * them there without containers, for the next one; only uninstall knows that there is none. The
 * node agent's packet filter stays in force without it, and would close the pods of a successor: it
 * goes in any case.
 *
 * @param netns the host's network namespace; empty for a host without tables
 */
record FirewallTables(Optional<Path> netns) {

  static FirewallTables ofThisHost() {
    return new FirewallTables(Optional.of(Path.of("/proc/self/ns/net")));
  }

  /** Removes those that serve no container. */
  void remove(InstallOutput output, boolean dryRun) {
    remove(output, dryRun, false);
  }

  /** Removes all of them, when other plugins serve the containers. */
  void removeAll(InstallOutput output, boolean dryRun) {
    remove(output, dryRun, true);
  }

  private void remove(InstallOutput output, boolean dryRun, boolean all) {
    if (netns.isEmpty()) {
      return;
    }
    try (NetnsSockets host = NetnsSockets.of(netns.get())) {
      for (Table table : host.netfilter().list(Tables.all())) {
        boolean ofPolicy = table.id().equals(PolicyTable.ID);
        if (ofPolicy || PluginTables.isOurs(table)) {
          remove(host, table.id(), output, dryRun, all || ofPolicy);
        }
      }
    } catch (NetlinkException e) {
      output.report("left", "the tables of nf_tables", String.valueOf(e.getMessage()));
    }
  }

  private static void remove(
      NetnsSockets host, TableId table, InstallOutput output, boolean dryRun, boolean all) {
    String name = "table " + table;
    if (!all && serves(host, table)) {
      output.report("left", name, "which containers still need");
      return;
    }
    output.report("removed", name, "");
    if (!dryRun) {
      host.netfilter().transact(Tables.delete(table));
    }
  }

  /** What a container has bears its owner's name; what all have in common bears none. */
  private static boolean serves(NetnsSockets host, TableId table) {
    if (NatOutgoingHandOver.isOfPools(table)) {
      return NatOutgoingHandOver.isNeeded(host, table);
    }
    NetlinkSocket net = host.netfilter();
    return net.list(Rules.in(table)).stream().anyMatch(rule -> !rule.comment().isEmpty())
        || net.list(Sets.in(table)).stream()
            .flatMap(set -> net.list(Elements.in(set)).stream())
            .anyMatch(element -> !element.comment().isEmpty());
  }
}
