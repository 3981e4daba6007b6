package io.ocicat.plugins.calico;

import io.ocicat.netlink.nft.ChainId;
import io.ocicat.netlink.nft.Chains;
import io.ocicat.netlink.nft.Table;
import io.ocicat.netlink.nft.TableFamily;
import io.ocicat.netlink.nft.TableId;
import io.ocicat.plugins.iptables.IptablesChains;
import io.ocicat.plugins.net.NetnsSockets;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Detects an agent that serves this node: Felix, or one that does the same work. The evidence is
 * what such an agent has in the kernel, which stays in effect when the agent ends, and the status
 * files that it writes. The file with the node's name is not evidence: {@code ocicat install}
 * writes it as well.
 *
 * @param evidence how the agent was detected
 */
public record NodeAgent(String evidence) {
  /** The table of our own agent. */
  public static final TableId AGENT_TABLE = new TableId(TableFamily.INET, "ocicat_agent");

  private static final List<TableId> TABLES =
      List.of(
          new TableId(TableFamily.IP, "calico"),
          new TableId(TableFamily.IP6, "calico"),
          AGENT_TABLE);
  private static final String NAT = "nat";
  private static final String CHAIN = "cali-nat-outgoing";

  /**
   * Looks for an agent.
   *
   * @param tables the host's nf_tables tables
   * @param status the directory where an agent writes the status of endpoints
   */
  static Optional<NodeAgent> find(NetnsSockets host, List<Table> tables, Path status) {
    return tables.stream()
        .map(Table::id)
        .filter(table -> isAgents(host, table))
        .findFirst()
        .map(table -> new NodeAgent("table " + table))
        .or(() -> ofLegacyTables(host))
        .or(() -> ofFiles(status));
  }

  private static boolean isAgents(NetnsSockets host, TableId table) {
    boolean isNat =
        table.name().equals(NAT)
            && (table.family() == TableFamily.IP || table.family() == TableFamily.IP6);
    return TABLES.contains(table)
        || (isNat && host.netfilter().find(Chains.get(new ChainId(table, CHAIN))).isPresent());
  }

  private static Optional<NodeAgent> ofLegacyTables(NetnsSockets host) {
    return IptablesChains.isInLegacyTable(host, NAT, CHAIN)
        ? Optional.of(new NodeAgent("iptables chain " + CHAIN))
        : Optional.empty();
  }

  private static Optional<NodeAgent> ofFiles(Path status) {
    if (!Files.isDirectory(status)) {
      return Optional.empty();
    }
    try (DirectoryStream<Path> files = Files.newDirectoryStream(status)) {
      return files.iterator().hasNext()
          ? Optional.of(new NodeAgent("status files in " + status))
          : Optional.empty();
    } catch (IOException _) {
      return Optional.empty();
    }
  }
}
