package io.ocicat.cli.check;

import java.util.Collection;
import java.util.NavigableSet;
import java.util.TreeSet;

/**
 * Shortens container ids for people: to twelve characters, or as many as it takes to keep them
 * distinct.
 */
public final class ShortIds {
  private static final int USUAL = 12;

  private final NavigableSet<String> ids;

  private ShortIds(NavigableSet<String> ids) {
    this.ids = ids;
  }

  public static ShortIds among(Collection<String> ids) {
    return new ShortIds(new TreeSet<>(ids));
  }

  public String of(String id) {
    int length = USUAL;
    for (String neighbour : new String[] {ids.lower(id), ids.higher(id)}) {
      if (neighbour != null) {
        length = Math.max(length, common(id, neighbour) + 1);
      }
    }
    return id.substring(0, Math.min(length, id.length()));
  }

  /** A text with all ids in it shortened. */
  public String in(String text) {
    String result = text;
    for (String id : ids.descendingSet()) {
      if (id.length() > USUAL) {
        result = result.replace(id, of(id));
      }
    }
    return result;
  }

  private static int common(String a, String b) {
    int at = 0;
    while (at < a.length() && at < b.length() && a.charAt(at) == b.charAt(at)) {
      at++;
    }
    return at;
  }
}
