package io.ocicat.interop.docs;

import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Compares output with what a page shows. {@code …} stands for any text within a line, a line of
 * {@code …} alone for any number of lines; the number of blanks between two words does not matter.
 */
final class Shown {
  private static final String ANYTHING = "…";

  private Shown() {}

  /** What is printed and not shown, or shown and not printed. */
  static Optional<String> difference(List<String> shown, List<String> printed) {
    List<String> left = shown.stream().map(Shown::narrow).toList();
    List<String> right = printed.stream().map(Shown::narrow).toList();
    int[] furthest = {0, 0};
    if (matches(withoutEnd(left), 0, withoutEnd(right), 0, furthest)) {
      return Optional.empty();
    }
    return Optional.of(
        "line %d of what is shown: %s%nline %d of what was printed: %s%nall that was printed:%n%s"
            .formatted(
                furthest[0] + 1,
                furthest[0] < shown.size() ? shown.get(furthest[0]) : "(its end)",
                furthest[1] + 1,
                furthest[1] < printed.size() ? printed.get(furthest[1]) : "(its end)",
                String.join("\n", printed)));
  }

  private static boolean matches(
      List<String> shown, int from, List<String> printed, int at, int[] furthest) {
    if (from > furthest[0] || (from == furthest[0] && at < furthest[1])) {
      furthest[0] = from;
      furthest[1] = at;
    }
    if (from == shown.size()) {
      return at == printed.size();
    }
    if (shown.get(from).equals(ANYTHING)) {
      for (int rest = at; rest <= printed.size(); rest++) {
        if (matches(shown, from + 1, printed, rest, furthest)) {
          return true;
        }
      }
      return false;
    }
    return at < printed.size()
        && pattern(shown.get(from)).matcher(printed.get(at)).matches()
        && matches(shown, from + 1, printed, at + 1, furthest);
  }

  private static Pattern pattern(String line) {
    return Pattern.compile(
        Stream.of(line.split(ANYTHING, -1)).map(Pattern::quote).collect(Collectors.joining(".*")));
  }

  private static String narrow(String line) {
    return line.strip().replaceAll("\\s+", " ");
  }

  private static List<String> withoutEnd(List<String> lines) {
    int size = lines.size();
    while (size > 0 && lines.get(size - 1).isEmpty()) {
      size--;
    }
    return lines.subList(0, size);
  }
}
