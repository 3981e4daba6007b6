package io.ocicat.cli.doctor;

import io.ocicat.cni.runtime.Cni;
import io.ocicat.plugins.hostlocal.Lease;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Addresses that host-local has leased to containers that nobody knows. Only told of: a lease is
 * freed by the network's GC, which asks the runtime.
 */
record OrphanLeasesCheck(KnownAttachments known, Cni cni) implements Check {

  @Override
  public String name() {
    return "leases";
  }

  @Override
  public List<Finding> look() {
    Map<String, List<String>> orphans = new LinkedHashMap<>();
    for (Lease lease : HostLocalLeases.of(cni)) {
      if (!known.attachments().contains(lease.holder())) {
        orphans
            .computeIfAbsent(lease.network(), _ -> new ArrayList<>())
            .add("%s (%s)".formatted(lease.address(), lease.holder().containerId()));
      }
    }
    return orphans.entrySet().stream()
        .map(entry -> finding(entry.getKey(), entry.getValue()))
        .toList();
  }

  private static Finding finding(String network, List<String> orphans) {
    return Finding.warning(
        "%d addresses of network %s are leased to containers that nobody knows: %s"
            .formatted(orphans.size(), network, OrphanLinksCheck.some(orphans)),
        "when all are leased no container gets an address",
        "if the containers are gone, `ocicat net gc %s` frees them".formatted(network));
  }
}
