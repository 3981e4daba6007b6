package io.ocicat.cli.install;

import io.ocicat.netlink.NetlinkException;
import io.ocicat.netlink.NetlinkSocket;
import io.ocicat.netlink.Protocol;
import io.ocicat.netlink.nft.Elements;
import io.ocicat.netlink.nft.Rules;
import io.ocicat.netlink.nft.Sets;
import io.ocicat.netlink.nft.Table;
import io.ocicat.netlink.nft.TableId;
import io.ocicat.netlink.nft.Tables;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The nf_tables tables that our plugins have made in the host's network namespace. Plugins leave
 * them there without containers, for the next one; only whoever takes the plugins away knows that
 * there is none.
 *
 * @param netfilter opens a socket in the host's network namespace; empty for a host without tables
 */
record FirewallTables(Optional<Supplier<NetlinkSocket>> netfilter) {
  private static final String NAME = "ocicat_";
  private static final String COMMENT = "ocicat: ";
  private static final String POOLS = "ocicat_nat_outgoing_";

  static FirewallTables ofThisHost() {
    return new FirewallTables(Optional.of(() -> NetlinkSocket.open(Protocol.NETFILTER)));
  }

  /** Removes those that serve no container. */
  void remove(Account account, boolean dryRun) {
    remove(account, dryRun, false);
  }

  /** Removes all of them, when somebody else serves the containers. */
  void removeAll(Account account, boolean dryRun) {
    remove(account, dryRun, true);
  }

  private void remove(Account account, boolean dryRun, boolean all) {
    if (netfilter.isEmpty()) {
      return;
    }
    try (NetlinkSocket net = netfilter.get().get()) {
      for (Table table : net.list(Tables.all())) {
        if (isOurs(table)) {
          remove(net, table.id(), account, dryRun, all);
        }
      }
    } catch (NetlinkException e) {
      account.tell("left", "the tables of nf_tables", String.valueOf(e.getMessage()));
    }
  }

  private static void remove(
      NetlinkSocket net, TableId table, Account account, boolean dryRun, boolean all) {
    String name = "table " + table;
    if (!all && serves(net, table)) {
      account.tell("left", name, "which containers still need");
      return;
    }
    account.tell("removed", name, "");
    if (!dryRun) {
      net.transact(Tables.delete(table));
    }
  }

  private static boolean isOurs(Table table) {
    return table.id().name().startsWith(NAME) && table.comment().startsWith(COMMENT);
  }

  /**
   * What a container has bears its owner's name; what all have in common bears none. Calico's pools
   * are masqueraded without names, so nobody can tell whether a container needs that.
   */
  private static boolean serves(NetlinkSocket net, TableId table) {
    return table.name().startsWith(POOLS)
        || net.list(Rules.in(table)).stream().anyMatch(rule -> !rule.comment().isEmpty())
        || net.list(Sets.in(table)).stream()
            .flatMap(set -> net.list(Elements.in(set)).stream())
            .anyMatch(element -> !element.comment().isEmpty());
  }
}
