package io.ocicat.cli.ipam;

import io.ocicat.base.json.Json;
import io.ocicat.datastore.model.IpamBlock;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import io.ocicat.ipam.Ipam;
import io.ocicat.ipam.model.AddressInfo;
import io.ocicat.ipam.model.CalicoConventions;
import io.ocicat.ipam.model.PoolUse;
import java.io.PrintWriter;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** A map of which addresses of which blocks are in use, and by whom, as rows of cells. */
final class BlockMap {
  /** As many as fit next to the block's name; larger blocks have several addresses in a cell. */
  static final int MAX_CELLS = 256;

  static final int CELLS_PER_LINE = 64;

  /** What a cell shows; of several addresses the last in this order. */
  enum Cell {
    FREE('.', ""),
    POD('#', "\u001b[32m"),
    SYSTEM('@', "\u001b[36m"),
    BORROWED('b', "\u001b[33m");

    private final char sign;
    private final String colour;

    Cell(char sign, String colour) {
      this.sign = sign;
      this.colour = colour;
    }
  }

  /**
   * A block as cells.
   *
   * @param perCell how many addresses a cell stands for
   */
  record Row(PoolUse.BlockUse block, int perCell, List<Cell> cells) {
    Row {
      cells = List.copyOf(cells);
    }

    String owner() {
      return block.owner() == null ? "nobody" : block.owner().name();
    }
  }

  /** A pool and its blocks; blocks outside every pool are in one without a name. */
  record Section(String title, PoolUse pool, List<Row> rows) {
    Section {
      rows = List.copyOf(rows);
    }
  }

  private final List<Section> sections = new ArrayList<>();

  BlockMap(List<PoolUse> pools, List<IpamBlock> blocks) {
    Map<IpPrefix, IpamBlock> byCidr =
        blocks.stream().collect(Collectors.toMap(IpamBlock::cidr, Function.identity()));
    for (PoolUse pool : pools) {
      List<Row> rows = new ArrayList<>();
      for (PoolUse.BlockUse use : pool.blocks()) {
        Optional.ofNullable(byCidr.get(use.cidr())).ifPresent(block -> rows.add(row(use, block)));
      }
      if (pool.cidr() != null || !rows.isEmpty()) {
        sections.add(new Section(title(pool), pool, rows));
      }
    }
  }

  private static String title(PoolUse pool) {
    return pool.cidr() == null
        ? "blocks in no pool"
        : "pool %s %s: %d of %s in use, %d blocks"
            .formatted(
                pool.pool().orElse(""),
                pool.cidr(),
                pool.inUse(),
                AddressCount.text(pool.capacity()),
                pool.blocks().size());
  }

  private static Row row(PoolUse.BlockUse use, IpamBlock block) {
    int size = block.allocations().size();
    int perCell = Math.max(1, size / MAX_CELLS);
    List<Cell> cells = new ArrayList<>();
    for (int i = 0; i < (size + perCell - 1) / perCell; i++) {
      cells.add(Cell.FREE);
    }
    for (AddressInfo info : Ipam.inUse(block)) {
      int cell = ordinal(block.cidr(), info.address()) / perCell;
      Cell shown = of(info);
      if (shown.compareTo(cells.get(cell)) > 0) {
        cells.set(cell, shown);
      }
    }
    return new Row(use, perCell, cells);
  }

  private static int ordinal(IpPrefix block, IpAddress address) {
    BigInteger offset = address.minus(block.first());
    return offset.intValueExact();
  }

  private static Cell of(AddressInfo info) {
    if (info.isBorrowed()) {
      return Cell.BORROWED;
    }
    return info.owner().containsKey(CalicoConventions.TYPE) || info.handle() == null
        ? Cell.SYSTEM
        : Cell.POD;
  }

  List<Section> sections() {
    return List.copyOf(sections);
  }

  void printTo(PrintWriter out, boolean colours) {
    for (Section section : sections) {
      out.println(section.title());
      for (Row row : section.rows()) {
        String head =
            "  %-20s %-16s %4d/%-4d "
                .formatted(
                    row.block().cidr(), row.owner(), row.block().inUse(), row.block().capacity());
        for (int from = 0; from < row.cells().size(); from += CELLS_PER_LINE) {
          int to = Math.min(row.cells().size(), from + CELLS_PER_LINE);
          String before = from == 0 ? head : " ".repeat(head.length());
          out.println(before + line(row.cells().subList(from, to), colours));
        }
        if (row.perCell() > 1) {
          out.println("  each character is %d addresses".formatted(row.perCell()));
        }
      }
    }
    out.println("# in use   @ tunnel or reserved   b borrowed by another node   . free");
  }

  private static String line(List<Cell> cells, boolean colours) {
    StringBuilder line = new StringBuilder();
    for (Cell cell : cells) {
      if (colours && !cell.colour.isEmpty()) {
        line.append(cell.colour).append(cell.sign).append("\u001b[0m");
      } else {
        line.append(cell.sign);
      }
    }
    return line.toString();
  }

  ObjectNode toJson() {
    ObjectNode document = Json.object();
    ArrayNode blocks = document.putArray("blocks");
    for (Section section : sections) {
      for (Row row : section.rows()) {
        ObjectNode block = blocks.addObject();
        section.pool().pool().ifPresent(name -> block.put("pool", name));
        block
            .put("cidr", row.block().cidr().toString())
            .put("owner", row.owner())
            .put("addressesPerCell", row.perCell())
            .put("cells", line(row.cells(), false));
      }
    }
    return document;
  }
}
