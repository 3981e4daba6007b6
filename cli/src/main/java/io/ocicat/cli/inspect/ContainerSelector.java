package io.ocicat.cli.inspect;

import io.ocicat.cli.check.ExpectedAttachment;
import io.ocicat.cli.check.ExpectedAttachments;
import io.ocicat.daemon.info.CallSelection;
import io.ocicat.ip.IpAddress;
import io.ocicat.plugins.hostlocal.Lease;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * Selects the containers that the user asks about.
 *
 * @param text as typed: a container's id or the beginning of it, a pod, or an address
 * @param holders for an address, the containers that have it
 */
record ContainerSelector(String text, Optional<Set<String>> holders) {

  static ContainerSelector of(
      String text, ExpectedAttachments expectedAttachments, List<Lease> leases) {
    return new ContainerSelector(
        text,
        IpAddress.tryParse(text)
            .map(IpAddress::unmap)
            .map(ip -> holders(ip, expectedAttachments, leases)));
  }

  private static Set<String> holders(
      IpAddress address, ExpectedAttachments expectedAttachments, List<Lease> leases) {
    Set<String> holders = new TreeSet<>();
    for (ExpectedAttachment expected : expectedAttachments.having(address)) {
      holders.add(expected.key().containerId());
    }
    for (Lease lease : leases) {
      if (lease.address().equals(address)) {
        holders.add(lease.holder().containerId());
      }
    }
    return holders;
  }

  boolean isAbout(String containerId, String pod) {
    return holders
        .map(ids -> ids.contains(containerId))
        .orElseGet(() -> CallSelection.isAbout(text, containerId, pod));
  }

  /** The queries for the daemon, which does not know addresses. */
  Set<String> questions() {
    return holders.orElseGet(() -> Set.of(text));
  }
}
