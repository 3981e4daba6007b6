package io.ocicat.cli.doctor;

import io.ocicat.cli.check.ExpectedAttachments;
import io.ocicat.cli.check.HostLocalLeases;
import io.ocicat.cli.check.ShortIds;
import io.ocicat.cni.runtime.Cni;
import io.ocicat.plugins.hostlocal.Lease;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Finds addresses that host-local has leased to unknown containers. Only reports them: the
 * network's GC, which asks the runtime, frees a lease.
 */
record OrphanLeasesCheck(
    AllAttachments known,
    Cni cni,
    ExpectedAttachments expectedAttachments,
    RemovedNetworks networks,
    Path root)
    implements DoctorCheck {

  @Override
  public String name() {
    return "leases";
  }

  @Override
  public List<DoctorFinding> run() {
    Map<String, List<Lease>> orphans = new LinkedHashMap<>();
    for (Lease lease : HostLocalLeases.of(cni, expectedAttachments, root)) {
      if (!known.attachments().contains(lease.holder())) {
        orphans.computeIfAbsent(lease.network(), _ -> new ArrayList<>()).add(lease);
      }
    }
    return orphans.entrySet().stream()
        .map(entry -> finding(entry.getKey(), entry.getValue()))
        .toList();
  }

  private DoctorFinding finding(String network, List<Lease> orphans) {
    ShortIds ids =
        ShortIds.among(orphans.stream().map(lease -> lease.holder().containerId()).toList());
    List<String> names =
        orphans.stream()
            .map(
                lease -> "%s (%s)".formatted(lease.address(), ids.of(lease.holder().containerId())))
            .toList();
    return DoctorFinding.warning(
        "%d addresses of network %s%s are leased to unknown containers: %s"
            .formatted(
                orphans.size(),
                network,
                networks.remark(network).isEmpty() ? "" : networks.remark(network) + ",",
                OrphanLinksCheck.some(names)),
        "when all are leased no container gets an address",
        networks.removalAdvice(network));
  }
}
