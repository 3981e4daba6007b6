package io.ocicat.cli.ipam;

/** Draws the map of blocks as an SVG picture. */
final class BlockMapSvg {
  private static final int CELL = 10;
  private static final int GAP = 2;
  private static final int LEFT = 320;
  private static final int TITLE = 24;
  private static final int MARGIN = 12;

  private final StringBuilder body = new StringBuilder();
  private int y = MARGIN;

  private BlockMapSvg() {}

  static String of(BlockMap map) {
    BlockMapSvg svg = new BlockMapSvg();
    map.sections().forEach(svg::add);
    int width = LEFT + BlockMap.CELLS_PER_LINE * (CELL + GAP) + MARGIN;
    return """
    <svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="monospace" font-size="12">
    <rect width="100%%" height="100%%" fill="white"/>
    %s</svg>
    """
        .formatted(width, svg.y + MARGIN, svg.body);
  }

  private void add(BlockMap.Section section) {
    y += TITLE;
    text(MARGIN, section.title(), "bold");
    y += GAP * 4;
    section.rows().forEach(this::add);
  }

  private void add(BlockMap.Row row) {
    int top = y;
    y += CELL;
    text(
        MARGIN,
        "%s  %s  %d/%d"
            .formatted(
                row.block().cidr(), row.owner(), row.block().inUse(), row.block().capacity()),
        "normal");
    for (int i = 0; i < row.cells().size(); i++) {
      int x = LEFT + i % BlockMap.CELLS_PER_LINE * (CELL + GAP);
      int line = top + i / BlockMap.CELLS_PER_LINE * (CELL + GAP);
      body.append(
          "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"%s\"/>%n"
              .formatted(x, line, CELL, CELL, fill(row.cells().get(i))));
    }
    int lines = (row.cells().size() + BlockMap.CELLS_PER_LINE - 1) / BlockMap.CELLS_PER_LINE;
    y = top + Math.max(1, lines) * (CELL + GAP) + GAP * 2;
  }

  private void text(int x, String text, String weight) {
    body.append(
        "<text x=\"%d\" y=\"%d\" font-weight=\"%s\">%s</text>%n"
            .formatted(x, y, weight, escaped(text)));
  }

  private static String escaped(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }

  private static String fill(BlockMap.Cell cell) {
    return switch (cell) {
      case FREE -> "#e5e7eb";
      case POD -> "#2f9e63";
      case SYSTEM -> "#2b6cb0";
      case BORROWED -> "#d69e2e";
    };
  }
}
