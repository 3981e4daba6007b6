package io.ocicat.netlink.nft;

import io.ocicat.netlink.NetlinkSocket;
import io.ocicat.netlink.Protocol;
import io.ocicat.netlink.ns.NetNs;
import io.ocicat.testkit.Host;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** A host's nf_tables, seen from both sides: through this library and through the nft command. */
record Ruleset(Host host, NetlinkSocket net) implements AutoCloseable {

  static Ruleset of(Host host) {
    try (NetNs namespace = NetNs.open(host.path())) {
      return new Ruleset(host, NetlinkSocket.open(Protocol.NETFILTER, namespace));
    }
  }

  /** What nft prints, without indentation, empty lines and how long elements still have. */
  List<String> printed() {
    return lines(host.exec("nft", "list", "ruleset").stdout().replaceAll(" expires [0-9a-z]+", ""));
  }

  static List<String> lines(String text) {
    return text.lines().map(String::strip).filter(line -> !line.isEmpty()).toList();
  }

  void load(String text) {
    host.command("nft", "-f", "-").stdin(text).run();
  }

  /** The whole ruleset as nft's JSON, without what differs between two equal rulesets. */
  String json() {
    JsonNode ruleset = host.json("nft", "-j", "list", "ruleset");
    ruleset.findParents("handle").forEach(node -> ((ObjectNode) node).remove("handle"));
    ruleset.findParents("metainfo").forEach(node -> ((ObjectNode) node).remove("metainfo"));
    ruleset.findParents("expires").forEach(node -> ((ObjectNode) node).remove("expires"));
    return ruleset.toPrettyString();
  }

  @Override
  public void close() {
    net.close();
  }
}
