package io.ocicat.datastore.json;

import io.ocicat.datastore.error.InvalidException;
import io.ocicat.ip.QuotedText;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Collects what is wrong with a document, so that its author sees every bad field at once. Not
 * thread-safe.
 */
public final class Problems {
  private static final int MAX = 50;

  private final Set<Problem> found = new LinkedHashSet<>();
  private int left;

  /** What is wrong with the field at {@code path}. */
  public record Problem(String path, String message) {
    @Override
    public String toString() {
      return path + " " + message;
    }
  }

  /** Records {@code message}, which follows the path; the same problem counts once. */
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

  /** How many different ones are kept. */
  public int count() {
    return found.size();
  }

  public List<Problem> all() {
    return List.copyOf(found);
  }

  /** Throws nothing when all is well; {@code what} names the document. */
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

  /** Text in quotes that is short and holds no control characters: input may be hostile. */
  public static String quote(String text) {
    return QuotedText.of(text);
  }
}
