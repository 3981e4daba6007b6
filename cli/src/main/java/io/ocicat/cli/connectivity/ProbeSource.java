package io.ocicat.cli.connectivity;

import io.ocicat.cli.check.ExpectedAttachment;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Where probes are sent from: this node, or one of its pods.
 *
 * @param netns the path of its network namespace
 * @param attachment of a pod
 */
record ProbeSource(String name, Path netns, Optional<ExpectedAttachment> attachment) {
  private static final Path OWN = Path.of("/proc/thread-self/ns/net");

  static ProbeSource node(String name) {
    return new ProbeSource(name, OWN, Optional.empty());
  }

  static ProbeSource pod(String name, ExpectedAttachment attachment) {
    return new ProbeSource(name, Path.of(attachment.netns()), Optional.of(attachment));
  }

  /** Of a pod; a node sends from whichever address fits. */
  List<IpAddress> addresses() {
    return attachment.stream()
        .flatMap(one -> one.addresses().stream())
        .map(IpPrefix::address)
        .toList();
  }

  /** Whether it can send to an address of that family at all. */
  boolean canReach(IpAddress address) {
    return attachment.isEmpty()
        || addresses().stream().anyMatch(own -> own.isV4() == address.isV4());
  }
}
