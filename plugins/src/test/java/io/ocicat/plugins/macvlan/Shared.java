package io.ocicat.plugins.macvlan;

import io.ocicat.cni.CniJson;
import io.ocicat.plugins.Attaching;
import io.ocicat.plugins.TestIpam;
import io.ocicat.testkit.Host;
import java.nio.file.Path;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** A host whose interface to a neighbour is shared by pods. */
record Shared(Host host, String master, TestIpam ipam, Path bin) {
  static final String V4 =
      """
      {"cniVersion": "1.0.0", "ips": [{"address": "10.0.0.3/24", "gateway": "10.0.0.2"}],
       "routes": [{"dst": "0.0.0.0/0"}]}
      """;

  /** The neighbour has 10.0.0.2 and fd00::2. */
  static Shared with(Host host, Host neighbour, Path bin) {
    String master = host.connect(neighbour, "10.0.0.1/24", "10.0.0.2/24").device();
    String device =
        neighbour
            .json("ip", "-j", "-4", "address", "show", "to", "10.0.0.2")
            .at("/0/ifname")
            .asString();
    neighbour.exec("ip", "address", "add", "fd00::2/64", "dev", device, "nodad");
    return new Shared(host, master, TestIpam.in(bin, V4), bin);
  }

  /** With addresses; further fields quoted with apostrophes. */
  Attaching attaching(Host pod, String version, String fields) {
    return ipam.with(
        bare(pod, version, "'master':'%s','ipam':{'type':'testipam'},".formatted(master) + fields));
  }

  /** Without addresses, and without a master unless the fields say so. */
  Attaching bare(Host pod, String version, String fields) {
    String config =
        "{'cniVersion':'%s','name':'net','type':'macvlan',%s}"
            .formatted(version, fields)
            .replace('\'', '"')
            .replace(",}", "}");
    return Attaching.of("macvlan", host, pod, config);
  }

  static Attaching withPrevious(Attaching attaching, JsonNode result) {
    ObjectNode config = (ObjectNode) CniJson.parse(attaching.config());
    config.set("prevResult", result);
    return attaching.withConfig(config.toString());
  }

  static JsonNode link(Host pod) {
    return pod.json("ip", "-j", "-d", "link", "show", "eth0").path(0);
  }

  /** How many links a pod has besides lo. */
  static int links(Host pod) {
    return pod.json("ip", "-j", "link").size() - 1;
  }
}
