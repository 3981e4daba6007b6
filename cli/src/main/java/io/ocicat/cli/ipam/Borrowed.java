package io.ocicat.cli.ipam;

import io.ocicat.base.json.Json;
import io.ocicat.ipam.model.AddressInfo;
import io.ocicat.ipam.model.BlockOwner;
import io.ocicat.ipam.model.CalicoConventions;
import java.io.PrintWriter;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Addresses that hosts have borrowed from other hosts' blocks.
 *
 * @param unknown the number of addresses for which this is unknown
 */
record Borrowed(List<AddressInfo> addresses, long unknown) {
  Borrowed {
    addresses = List.copyOf(addresses);
  }

  static Borrowed of(List<AddressInfo> assigned) {
    return new Borrowed(
        assigned.stream().filter(AddressInfo::isBorrowed).toList(),
        assigned.stream()
            .filter(info -> !info.owner().containsKey(CalicoConventions.NODE))
            .count());
  }

  void printTo(PrintWriter out) {
    BorderedTable table =
        new BorderedTable("IP", "BORROWING-NODE", "BLOCK", "BLOCK OWNER", "TYPE", "ALLOCATED-TO");
    for (AddressInfo info : addresses) {
      table.row(
          info.address().toString(),
          info.node().orElse(""),
          info.block().toString(),
          Optional.ofNullable(info.blockOwner()).map(BlockOwner::name).orElse(""),
          type(info),
          holder(info));
    }
    table.printTo(out);
    if (unknown > 0) {
      out.println("%d addresses do not tell which node uses them.".formatted(unknown));
    }
  }

  static String type(AddressInfo info) {
    Map<String, String> owner = info.owner();
    if (owner.containsKey(CalicoConventions.INSTANCE_NAME)) {
      return "vmi";
    }
    return owner.getOrDefault(
        CalicoConventions.TYPE, owner.containsKey(CalicoConventions.POD) ? "pod" : "");
  }

  private static String holder(AddressInfo info) {
    Map<String, String> owner = info.owner();
    String name =
        owner.getOrDefault(
            CalicoConventions.INSTANCE_NAME, owner.getOrDefault(CalicoConventions.POD, ""));
    return name.isEmpty() ? "" : owner.getOrDefault(CalicoConventions.NAMESPACE, "") + "/" + name;
  }

  ObjectNode toJson() {
    ObjectNode document = Json.object();
    ArrayNode array = document.putArray("borrowed");
    for (AddressInfo info : addresses) {
      array
          .addObject()
          .put("ip", info.address().toString())
          .put("node", info.node().orElse(""))
          .put("block", info.block().toString())
          .put(
              "blockOwner", Optional.ofNullable(info.blockOwner()).map(BlockOwner::name).orElse(""))
          .put("type", type(info))
          .put("allocatedTo", holder(info));
    }
    return document.put("withoutNode", unknown);
  }
}
