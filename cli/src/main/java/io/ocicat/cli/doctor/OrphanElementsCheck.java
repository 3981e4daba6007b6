package io.ocicat.cli.doctor;

import io.ocicat.cli.check.ShortIds;
import io.ocicat.netlink.NetlinkSocket;
import io.ocicat.netlink.Protocol;
import io.ocicat.netlink.linux.NetlinkException;
import io.ocicat.netlink.nft.Element;
import io.ocicat.netlink.nft.Elements;
import io.ocicat.netlink.nft.NamedSet;
import io.ocicat.netlink.nft.Sets;
import io.ocicat.netlink.nft.Table;
import io.ocicat.netlink.nft.Tables;
import io.ocicat.plugins.net.PluginTables;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * Finds elements in our nf_tables tables whose owner is unknown: masquerading and host ports of
 * containers that disappeared without a DEL. Only reports them, as for links and leases.
 */
record OrphanElementsCheck(AllAttachments known, RemovedNetworks networks) implements DoctorCheck {
  /** network/container/interface, as comments of elements name their owner. */
  private static final Pattern LABEL = Pattern.compile("[^/ ]+/([^/ ]+)/[^/ ]+");

  @Override
  public String name() {
    return "elements";
  }

  @Override
  public List<DoctorFinding> run() {
    Map<String, Set<String>> orphans = new LinkedHashMap<>();
    try (NetlinkSocket netfilter = NetlinkSocket.open(Protocol.NETFILTER)) {
      for (Table table : netfilter.list(Tables.all())) {
        if (PluginTables.isNamedAsOurs(table.id())) {
          collect(netfilter, table, orphans);
        }
      }
    } catch (NetlinkException e) {
      return List.of(
          DoctorFinding.warning(
              "nf_tables could not be read: " + e.getMessage(),
              "masquerading and host ports of containers that are gone may be left",
              "this needs root and a kernel with nf_tables"));
    }
    List<DoctorFinding> findings = new ArrayList<>();
    orphans.forEach((network, labels) -> findings.add(finding(network, labels)));
    return findings;
  }

  private void collect(NetlinkSocket netfilter, Table table, Map<String, Set<String>> orphans) {
    for (NamedSet set : netfilter.list(Sets.in(table.id()))) {
      for (Element element : netfilter.list(Elements.in(set))) {
        String label = element.comment();
        if (LABEL.matcher(label).matches() && !known.labels().contains(label)) {
          orphans
              .computeIfAbsent(label.substring(0, label.indexOf('/')), _ -> new TreeSet<>())
              .add("%s in %s".formatted(label, table.id().name()));
        }
      }
    }
  }

  private DoctorFinding finding(String network, Set<String> labels) {
    List<String> names = new ArrayList<>(labels);
    ShortIds ids = ShortIds.among(names.stream().map(name -> name.split("/", -1)[1]).toList());
    return DoctorFinding.warning(
        "nf_tables has elements of network %s%s, for unknown containers: %s"
            .formatted(
                network,
                networks.remark(network),
                OrphanLinksCheck.some(names.stream().map(ids::in).toList())),
        "their host ports stay taken, and whoever gets their address is treated as they were",
        networks.removalAdvice(network));
  }
}
