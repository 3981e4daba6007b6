package io.ocicat.interop;

import io.ocicat.testkit.Host;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.StreamSupport;

/** Everything on a host that containers leave traces in. */
record Footprint(
    List<String> links,
    List<String> rules,
    List<String> legacyTables,
    List<String> leases,
    List<String> cached,
    List<String> namespaces) {

  static Footprint of(Host host, Podman podman) {
    return new Footprint(
        StreamSupport.stream(host.json("ip", "-j", "link").spliterator(), false)
            .map(link -> link.path("ifname").asString())
            .toList(),
        host.exec("nft", "list", "ruleset")
            .stdout()
            .replaceAll("packets \\d+ bytes \\d+", "")
            .lines()
            .toList(),
        host.exec("cat", "/proc/thread-self/net/ip_tables_names").stdout().lines().toList(),
        leases(podman),
        cached(podman),
        podman.files("/run/netns"));
  }

  /** The leased addresses; which was the last one, and the lock, belong to no container. */
  private static List<String> leases(Podman podman) {
    return podman.files("/var/lib/cni/networks").stream()
        .filter(file -> !file.endsWith("/lock") && !file.contains("/last_reserved_ip."))
        .toList();
  }

  private static List<String> cached(Podman podman) {
    List<String> cached = new ArrayList<>(podman.files("/var/lib/cni/results"));
    cached.addAll(podman.files("/run/cni"));
    return cached;
  }
}
