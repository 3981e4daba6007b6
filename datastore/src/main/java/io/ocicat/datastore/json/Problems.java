package io.ocicat.datastore.json;

import io.ocicat.datastore.error.InvalidException;
import io.ocicat.ip.QuotedText;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Collects the errors in a document, so that its author sees every bad field at once. Not
 * thread-safe.
 */
public final class Problems {
  private static final int MAX = 50;

  private final Set<Problem> found = new LinkedHashSet<>();
  private int left;

  /** An error in the field at {@code path}. */
  public record Problem(String path, String message) {
    @Override
    public String toString() {
      return path + " " + message;
    }
  }

  /** Adds {@code message}, which follows the path; duplicates are ignored. */
  public void add(String path, String message) {
    Problem problem = new Problem(path, message);
    if (found.size() < MAX) {
      found.add(problem);
    } else if (!found.contains(problem)) {
      left++;
    }
  }

  public boolean isEmpty() {
    return found.isEmpty();
  }

  /** The number of distinct problems. */
  public int count() {
    return found.size();
  }

  public List<Problem> all() {
    return List.copyOf(found);
  }

  /** Throws an exception with all problems, if there are any; {@code what} names the document. */
  public void throwIfAny(String what) {
    if (!found.isEmpty()) {
      throw new InvalidException(
          "%s is not valid: %s%s"
              .formatted(
                  what,
                  String.join("; ", found.stream().map(Problem::toString).toList()),
                  left > 0 ? "; and " + left + " more" : ""));
    }
  }

  /** Quotes, shortens and escapes control characters of a text: input may be hostile. */
  public static String quote(String text) {
    return QuotedText.of(text);
  }
}
