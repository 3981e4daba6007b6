package io.ocicat.plugins.bridge;

import io.ocicat.testkit.Host;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * What attachments leave on a host: links except the bridge, which stays, rules, and leases. Empty
 * tables and chains do not count.
 */
record Left(List<String> links, List<String> rules, List<String> leases) {
  static final Left NOTHING = new Left(List.of(), List.of(), List.of());

  static Left on(Host host, Path leases) {
    return new Left(links(host), rules(host), leases(leases));
  }

  private static List<String> links(Host host) {
    return host.json("ip", "-j", "link").values().stream()
        .map(link -> link.path("ifname").asString())
        .filter(name -> !name.equals("lo") && !name.equals(BridgeNetwork.BRIDGE))
        .toList();
  }

  /** Lines about a container contain its name or an address. */
  private static List<String> rules(Host host) {
    return host.exec("nft", "list", "ruleset")
        .stdout()
        .lines()
        .filter(
            line ->
                line.contains("comment \"" + BridgeNetwork.NAME)
                    || line.contains("veth")
                    || line.contains("10.1.2."))
        .map(String::strip)
        .toList();
  }

  private static List<String> leases(Path directory) {
    try (Stream<Path> files = Files.walk(directory)) {
      return files
          .filter(Files::isRegularFile)
          .map(file -> file.getFileName().toString())
          .filter(name -> !name.equals("lock") && !name.startsWith("last_reserved_ip"))
          .sorted()
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
