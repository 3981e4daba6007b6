package io.ocicat.interop.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The code blocks of a Markdown page. */
final class Page {
  private static final Pattern FENCE = Pattern.compile("```(\\S*) *(.*)");
  private static final Pattern NOT_RUN = Pattern.compile("<!-- not run: (.+) -->");
  private static final Pattern LINK = Pattern.compile("]\\(([^) ]+)\\)");
  private static final Pattern HEADING = Pattern.compile("^#+ (.+)$");
  private static final Pattern LIST_ITEM = Pattern.compile(" {0,3}([-*]|\\d+\\.) .*");

  private final Path file;
  private final List<Block> blocks = new ArrayList<>();
  private final List<Integer> indented = new ArrayList<>();
  private final List<String> links = new ArrayList<>();
  private final Set<String> anchors = new HashSet<>();

  private Page(Path file) {
    this.file = file;
  }

  static Page read(Path file) throws IOException {
    Page page = new Page(file);
    page.scan(Files.readAllLines(file));
    return page;
  }

  private void scan(List<String> lines) {
    Optional<String> notRun = Optional.empty();
    boolean afterBlock = false;
    boolean afterBlank = true;
    boolean inList = false;
    for (int at = 0; at < lines.size(); at++) {
      String line = lines.get(at);
      Matcher fence = FENCE.matcher(line);
      if (fence.matches()) {
        int end = at + 1;
        while (end < lines.size() && !lines.get(end).equals("```")) {
          end++;
        }
        blocks.add(
            new Block(
                fence.group(1),
                fence.group(2),
                at + 2,
                lines.subList(at + 1, end),
                notRun,
                afterBlock));
        at = end;
        afterBlock = true;
        notRun = Optional.empty();
      } else if (!line.isBlank()) {
        LINK.matcher(line).results().forEach(link -> links.add(link.group(1)));
        HEADING.matcher(line).results().forEach(heading -> anchors.add(anchor(heading.group(1))));
        Matcher comment = NOT_RUN.matcher(line);
        notRun = comment.matches() ? Optional.of(comment.group(1)) : Optional.empty();
        afterBlock = false;
        if (LIST_ITEM.matcher(line).matches()) {
          inList = true;
        } else if (!line.startsWith(" ")) {
          inList = false;
        }
        if (line.startsWith("    ") && afterBlank && !inList) {
          indented.add(at + 1);
        }
      }
      afterBlank = line.isBlank();
    }
  }

  /** GitHub's anchor of a heading. */
  private static String anchor(String heading) {
    return heading.toLowerCase(Locale.ROOT).replaceAll("[^\\p{L}\\p{N} _-]", "").replace(' ', '-');
  }

  Path file() {
    return file;
  }

  /** The targets of its links, as written. */
  List<String> links() {
    return links;
  }

  boolean hasAnchor(String anchor) {
    return anchors.contains(anchor);
  }

  List<Block> blocks() {
    return blocks;
  }

  /** Lines where indented code begins, which has no kind. */
  List<Integer> indented() {
    return indented;
  }
}
