package io.ocicat.plugins.iptables;

import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.netlink.IpFamily;
import io.ocicat.netlink.nft.TableFamily;
import io.ocicat.netlink.nft.TableId;
import io.ocicat.plugins.net.NetnsSockets;
import io.ocicat.plugins.support.BestEffort;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * The chains that the Go plugins created for a container with the iptables command, in either
 * backend: in nf_tables (iptables-nft), accessed without the command, or in legacy xtables,
 * accessed only when the kernel says that the table is in use there.
 */
public final class IptablesChains {
  private IptablesChains() {}

  /**
   * Removes a chain and every rule that jumps to it, for IPv4 and IPv6; none is not an error.
   *
   * @param table in iptables' terms, for instance nat
   */
  public static void remove(NetnsSockets host, String table, String chain) {
    BestEffort.all(
        stores(host, table).stream()
            .<Runnable>map(store -> () -> store.remove(chain))
            .toArray(Runnable[]::new));
  }

  /** Whether such a chain exists, and a rule that jumps to it. */
  public static boolean isReached(NetnsSockets host, IpFamily family, String table, String chain) {
    return stores(host, family, table).stream()
        .anyMatch(
            store ->
                store.has(chain)
                    && store.entries().stream().anyMatch(entry -> entry.target().equals(chain)));
  }

  /** Whether such a chain exists in legacy xtables, of either family. */
  public static boolean isInLegacyTable(NetnsSockets host, String table, String chain) {
    return Stream.of(IpFamily.values())
        .flatMap(family -> LegacyStore.of(host, family, table).stream())
        .anyMatch(store -> store.has(chain));
  }

  /**
   * The host ports that chains translate, each with the comment of the rule in {@code entry} that
   * jumps to its chain. Costs one query when no such chain exists.
   *
   * @param wanted the port numbers of interest; the answer may contain others
   */
  public static List<PortRule> ports(
      NetnsSockets host, IpFamily family, String table, String entry, Set<Integer> wanted) {
    return stores(host, family, table).stream()
        .flatMap(store -> store.ports(entry, wanted).stream())
        .toList();
  }

  /**
   * Creates a chain and the rules that jump to it, with the command that other programs call
   * iptables, replacing one of the same name.
   *
   * @param rules as iptables-save prints them, of this chain and others
   * @throws CniException when the command does not exist, or fails
   */
  public static void make(
      NetnsSockets host, IpFamily family, String table, String chain, List<String> rules) {
    LegacyCommands iptables = requireCommand(host, family);
    stores(host, family, table).forEach(store -> store.remove(chain));
    List<String> changes = new ArrayList<>();
    changes.add(":" + chain + " - [0:0]");
    changes.addAll(rules);
    iptables.restore(table, changes);
  }

  /**
   * Checks that a table can be read by the command that other programs call iptables.
   *
   * @throws CniException when it cannot
   */
  public static void requireUsable(NetnsSockets host, IpFamily family, String table) {
    requireCommand(host, family).save(table);
  }

  private static LegacyCommands requireCommand(NetnsSockets host, IpFamily family) {
    return LegacyCommands.usual(host, family)
        .orElseThrow(
            () ->
                new CniException(
                    ErrorCode.PLUGIN_NOT_AVAILABLE,
                    "there is no command %s: install the package iptables"
                        .formatted(family == IpFamily.V4 ? "iptables" : "ip6tables")));
  }

  /**
   * Removes the chains of a network that no longer belong to a container. A chain belongs to the
   * network when the comment of a rule in it, or of one that jumps to it, says so.
   *
   * @param prefix of the names of the chains
   * @param comment the prefix of that network's comments
   * @param keep the chains of valid containers
   */
  public static void collect(
      NetnsSockets host, String table, String prefix, String comment, Set<String> keep) {
    BestEffort.all(
        stores(host, table).stream()
            .<Runnable>map(store -> () -> collect(store, prefix, comment, keep))
            .toArray(Runnable[]::new));
  }

  private static void collect(RuleStore store, String prefix, String comment, Set<String> keep) {
    Set<String> stale = new TreeSet<>();
    for (RuleStore.Entry entry : store.entries()) {
      if (entry.comment().startsWith(comment)) {
        for (String chain : List.of(entry.chain(), entry.target())) {
          if (chain.startsWith(prefix) && !keep.contains(chain)) {
            stale.add(chain);
          }
        }
      }
    }
    BestEffort.all(
        stale.stream().<Runnable>map(chain -> () -> store.remove(chain)).toArray(Runnable[]::new));
  }

  private static List<RuleStore> stores(NetnsSockets host, String table) {
    List<RuleStore> stores = new ArrayList<>();
    for (IpFamily family : IpFamily.values()) {
      stores.addAll(stores(host, family, table));
    }
    return stores;
  }

  private static List<RuleStore> stores(NetnsSockets host, IpFamily family, String table) {
    List<RuleStore> stores = new ArrayList<>();
    if (host.hasNfTables()) {
      TableFamily nft = family == IpFamily.V4 ? TableFamily.IP : TableFamily.IP6;
      stores.add(new NftStore(host.netfilter(), new TableId(nft, table)));
    }
    LegacyStore.of(host, family, table).ifPresent(stores::add);
    return stores;
  }
}
