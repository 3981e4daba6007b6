package io.ocicat.agent.kernel;

import io.ocicat.netlink.NetlinkSocket;
import io.ocicat.netlink.nft.TableFamily;
import io.ocicat.netlink.nft.TableId;
import io.ocicat.netlink.nft.Tables;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The nf_tables tables of Felix. One that was stopped leaves them in force, and they drop packets
 * of every workload that they do not know.
 */
final class FelixTables {
  private static final List<TableId> ALL =
      List.of(
          new TableId(TableFamily.IP, "calico"),
          new TableId(TableFamily.IP6, "calico"),
          new TableId(TableFamily.ARP, "calico-arp"));

  private FelixTables() {}

  static List<TableId> in(NetlinkSocket net) {
    return ALL.stream().filter(table -> net.find(Tables.get(table)).isPresent()).toList();
  }

  static String problem(List<TableId> tables) {
    return "Felix left its rules in table %s, which drop packets of new workloads: start the agent with --take-over"
        .formatted(tables.stream().map(TableId::toString).collect(Collectors.joining(", ")));
  }
}
