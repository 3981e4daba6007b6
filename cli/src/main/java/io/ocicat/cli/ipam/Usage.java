package io.ocicat.cli.ipam;

import io.ocicat.base.json.Json;
import io.ocicat.ipam.model.PoolUse;
import java.io.PrintWriter;
import java.math.BigInteger;
import java.util.List;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** The usage of pools and blocks. */
record Usage(List<PoolUse> pools, boolean blocks) {
  Usage {
    pools = List.copyOf(pools);
  }

  void printTo(PrintWriter out) {
    BorderedTable table =
        new BorderedTable("GROUPING", "CIDR", "IPS TOTAL", "IPS IN USE", "IPS FREE");
    for (PoolUse pool : pools) {
      if (pool.cidr() != null) {
        row(
            table,
            "IP Pool",
            pool.cidr().toString(),
            pool.capacity(),
            BigInteger.valueOf(pool.inUse()));
      }
      if (blocks) {
        for (PoolUse.BlockUse block : pool.blocks()) {
          row(
              table,
              "Block",
              block.cidr().toString(),
              BigInteger.valueOf(block.capacity()),
              BigInteger.valueOf(block.inUse()));
        }
      }
    }
    table.printTo(out);
  }

  private static void row(
      BorderedTable table, String grouping, String cidr, BigInteger total, BigInteger inUse) {
    table.row(
        grouping,
        cidr,
        AddressCount.text(total),
        AddressCount.share(inUse, total),
        AddressCount.share(total.subtract(inUse), total));
  }

  ObjectNode toJson() {
    ObjectNode document = Json.object();
    ArrayNode array = document.putArray("pools");
    for (PoolUse pool : pools) {
      ObjectNode written = array.addObject();
      pool.pool().ifPresent(name -> written.put("name", name));
      if (pool.cidr() != null) {
        written.put("cidr", pool.cidr().toString());
      }
      written.put("total", pool.capacity()).put("inUse", pool.inUse());
      if (blocks) {
        ArrayNode list = written.putArray("blocks");
        pool.blocks().forEach(block -> write(block, list.addObject()));
      }
    }
    return document;
  }

  private static void write(PoolUse.BlockUse block, ObjectNode json) {
    json.put("cidr", block.cidr().toString());
    if (block.owner() != null) {
      json.put("affinity", block.owner().toString());
    }
    json.put("total", block.capacity())
        .put("inUse", block.inUse())
        .put("reserved", block.reserved())
        .put("borrowed", block.borrowed());
  }
}
