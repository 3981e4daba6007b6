package io.ocicat.base.json;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Collects what is wrong with a document, so that its author sees every bad field at once. Not
 * thread-safe: one reading of one document owns it.
 */
public final class Problems {
  private static final int MAX = 50;

  private final Set<Problem> found = new LinkedHashSet<>();
  private int left;

  /** What is wrong with the field at {@code path}; no path means the document itself. */
  public record Problem(String path, String message) {
    @Override
    public String toString() {
      return (path.isEmpty() ? "the document" : path) + " " + message;
    }
  }

  /** Records {@code message} about the field at {@code path}; the same problem counts once. */
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

  /** Each with its path, as one sentence. */
  public List<String> all() {
    return found.stream().map(Problem::toString).toList();
  }

  public List<Problem> entries() {
    return List.copyOf(found);
  }

  /** All of them in one line. */
  public String describe() {
    return String.join("; ", all()) + (left > 0 ? "; and " + left + " more" : "");
  }

  /**
   * Throws nothing when all is well.
   *
   * @throws InvalidFieldsException with the problem itself as summary, or their number with all of
   *     them as details
   */
  public void throwIfAny() {
    if (found.size() == 1) {
      throw new InvalidFieldsException(describe(), "", entries());
    }
    if (!found.isEmpty()) {
      throw new InvalidFieldsException(
          "invalid configuration: " + (found.size() + left) + " problems", describe(), entries());
    }
  }
}
