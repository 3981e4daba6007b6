package io.ocicat.cni.runtime;

import io.ocicat.base.Quoted;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Finds the members of a configuration that none of its readers read, most of which are misspelt.
 * {@link io.ocicat.cni.json.FieldAccessListener} records what readers read, so there is no list of
 * names that could be wrong. Nothing is reported inside an object of which no member was read: it
 * was taken as a whole, or ignored.
 */
final class UnusedMembers {
  /** Members that belong to the runtime and to other readers. */
  private static final Set<String> OF_OTHERS =
      Set.of("args", "capabilities", "runtimeconfig", "prevresult", "cniversions");

  /** Others are comments, or private names such as {@code example.com/owner}. */
  private static final Pattern PLAIN = Pattern.compile("[A-Za-z][A-Za-z0-9_-]{0,79}");

  /** The names that were read in each object, by its path in lower case. */
  private final Map<String, Set<String>> read = new HashMap<>();

  private final List<Unread> found = new ArrayList<>();

  private UnusedMembers() {}

  /**
   * An unused member.
   *
   * @param nearest what was probably meant; empty when nothing is similar
   */
  record Unread(String path, String nearest) {
    String describe() {
      return nearest.isEmpty() ? "" : "; did you mean %s?".formatted(Quoted.of(nearest));
    }
  }

  /**
   * Finds them.
   *
   * @param paths that were read
   * @param foreign the member that others read, too; empty for none
   */
  static List<Unread> of(ObjectNode config, Set<String> paths, String foreign) {
    UnusedMembers members = new UnusedMembers();
    for (String path : paths) {
      int dot = path.lastIndexOf('.');
      String name = path.substring(dot + 1);
      if (PLAIN.matcher(name).matches()) {
        members
            .read
            .computeIfAbsent(lower(path.substring(0, Math.max(0, dot))), _ -> new TreeSet<>())
            .add(name);
      }
    }
    config.forEachEntry(
        (name, value) -> {
          if (!OF_OTHERS.contains(lower(name)) && !name.equalsIgnoreCase(foreign)) {
            members.member("", name, value);
          }
        });
    return members.found;
  }

  private void compare(JsonNode value, String path) {
    switch (value) {
      case ObjectNode object -> object.forEachEntry((name, inner) -> member(path, name, inner));
      case ArrayNode list -> {
        for (int i = 0; i < list.size(); i++) {
          compare(list.get(i), path + "[" + i + "]");
        }
      }
      default -> {}
    }
  }

  private void member(String object, String name, JsonNode value) {
    Set<String> known = read.getOrDefault(lower(object), Set.of());
    if (known.isEmpty() || !PLAIN.matcher(name).matches()) {
      return;
    }
    String path = object.isEmpty() ? name : object + "." + name;
    if (known.stream().anyMatch(name::equalsIgnoreCase)) {
      compare(value, path);
    } else {
      found.add(new Unread(path, nearest(name, known)));
    }
  }

  private static String nearest(String name, Set<String> known) {
    String nearest = "";
    int least = Math.max(1, name.length() / 3) + 1;
    for (String other : known) {
      int distance = distance(lower(name), lower(other));
      if (distance < least) {
        least = distance;
        nearest = other;
      }
    }
    return nearest;
  }

  /** The edit distance: how many letters have to be inserted, removed or changed. */
  private static int distance(String one, String other) {
    int[] row = new int[other.length() + 1];
    for (int j = 0; j < row.length; j++) {
      row[j] = j;
    }
    for (int i = 1; i <= one.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j < row.length; j++) {
        int change = diagonal + (one.charAt(i - 1) == other.charAt(j - 1) ? 0 : 1);
        diagonal = row[j];
        row[j] = Math.min(change, Math.min(row[j - 1], row[j]) + 1);
      }
    }
    return row[other.length()];
  }

  private static String lower(String text) {
    return text.toLowerCase(Locale.ROOT);
  }
}
