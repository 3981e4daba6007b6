package io.ocicat.ipam.check;

import io.ocicat.ip.IpAddress;
import io.ocicat.ipam.model.AddressInfo;
import io.ocicat.ipam.model.CalicoConventions;
import io.ocicat.ipam.model.HostReserved;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Checks the assigned addresses against those in use. */
final class UsageCheck {
  private UsageCheck() {}

  public static List<IpamFinding> run(IpamInventory inventory, Set<IpAddress> used) {
    List<IpamFinding> findings = new ArrayList<>();
    Set<IpAddress> assigned = new HashSet<>();
    for (AddressInfo info : inventory.assigned()) {
      assigned.add(info.address());
      if (!used.contains(info.address()) && !HostReserved.isReserved(info.handle())) {
        findings.add(
            finding(
                IpamFinding.Type.LEAKED_ADDRESS,
                info.address(),
                info,
                "it is assigned to handle %s on node %s since %s, and no endpoint, tunnel or service has it"
                    .formatted(
                        info.handle(),
                        info.node().orElse("unknown"),
                        info.owner().getOrDefault(CalicoConventions.TIMESTAMP, "unknown"))));
      }
    }
    for (IpAddress address : used) {
      if (!assigned.contains(address)) {
        boolean pooled = inventory.pools().enabledFor(address).isPresent();
        findings.add(
            finding(
                pooled ? IpamFinding.Type.UNASSIGNED_ADDRESS : IpamFinding.Type.FOREIGN_ADDRESS,
                address,
                null,
                pooled
                    ? "it is in use but not assigned, so it may be assigned to another pod: assign it, or restart its pod"
                    : "it is in use but in no enabled pool"));
      }
    }
    return findings;
  }

  private static IpamFinding finding(
      IpamFinding.Type type, IpAddress address, @Nullable AddressInfo info, String explanation) {
    return new IpamFinding(
        type,
        "address " + address,
        explanation,
        false,
        info == null ? null : info.block(),
        info == null ? null : info.handle(),
        null,
        address,
        info);
  }
}
