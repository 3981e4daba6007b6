package io.ocicat.plugins.ptp;

import io.ocicat.cni.CniJson;
import io.ocicat.plugins.Attaching;
import io.ocicat.testkit.Host;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Attachments by ptp, and their state on host and container. */
final class Ptp {
  static final String V4 = "[{\"subnet\":\"10.1.2.0/24\"}]";
  static final String V6 = "[{\"subnet\":\"fd00:1::/64\"}]";

  private Ptp() {}

  /** With Go's host-local, which keeps its leases in a directory of the test. */
  static Attaching attaching(Host host, Host pod, Path leases, String version, String... ranges) {
    return Attaching.of(
        "ptp",
        host,
        pod,
        """
        {"cniVersion": "%s", "name": "mynet", "type": "ptp", "ipMasq": true, "mtu": 1400,
         "ipam": {"type": "host-local", "dataDir": "%s", "ranges": [%s],
                  "routes": [{"dst": "0.0.0.0/0"}%s]}}
        """
            .formatted(
                version,
                leases,
                String.join(",", ranges),
                List.of(ranges).contains(V6) ? ", {\"dst\": \"::/0\"}" : ""));
  }

  /** With the addresses that a {@link io.ocicat.plugins.TestIpam} gives. */
  static Attaching withTestIpam(Host host, Host pod) {
    return Attaching.of(
        "ptp",
        host,
        pod,
        """
        {"cniVersion": "1.1.0", "name": "mynet", "type": "ptp", "ipMasq": true,
         "ipam": {"type": "testipam"}}
        """);
  }

  /** The same configuration with one member set or replaced. */
  static Attaching with(Attaching attaching, String member, JsonNode value) {
    ObjectNode config = (ObjectNode) CniJson.parse(attaching.config());
    config.set(member, value);
    return attaching.withConfig(config.toString());
  }

  static Attaching withPrevious(Attaching attaching, JsonNode result) {
    return with(attaching, "prevResult", result);
  }

  /**
   * What attachments have left on a host: veth pairs and elements of our table; nothing is best.
   */
  static List<String> traces(Host host) {
    Stream<String> links =
        elements(host.json("ip", "-j", "link", "show", "type", "veth"))
            .map(link -> link.path("ifname").asString())
            .filter(name -> name.startsWith("veth"));
    Stream<String> elements =
        host.exec("nft", "list", "ruleset")
            .stdout()
            .lines()
            .filter(line -> line.contains("comment \"mynet"));
    Stream<String> chains =
        host.exec("nft", "list", "ruleset").stdout().lines().filter(line -> line.contains("CNI-"));
    return Stream.of(links, elements, chains).flatMap(all -> all).map(String::strip).toList();
  }

  static Stream<JsonNode> elements(JsonNode array) {
    return StreamSupport.stream(array.spliterator(), false);
  }
}
