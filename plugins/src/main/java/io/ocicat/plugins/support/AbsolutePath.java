package io.ocicat.plugins.support;

import io.ocicat.cni.json.JsonFields;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;

/**
 * A member of a configuration that names a file of the host. Relative to what would another one be?
 * A daemon is not where whoever calls it is.
 */
public final class AbsolutePath {
  private AbsolutePath() {}

  /** What it says; the fallback when it is not there or empty. */
  public static Path read(JsonFields in, String name, String fallback) {
    return in.text(name)
        .map(text -> parse(text.isEmpty() ? fallback : text), Path.of(fallback))
        .or(Path.of(fallback));
  }

  /**
   * What a text says.
   *
   * @throws IllegalArgumentException with words that go on from the member's name
   */
  public static Path parse(String text) {
    try {
      Path path = Path.of(text);
      if (path.isAbsolute()) {
        return path;
      }
    } catch (InvalidPathException e) {
      throw new IllegalArgumentException("is not a path: " + e.getReason(), e);
    }
    throw new IllegalArgumentException("must be an absolute path, not \"%s\"".formatted(text));
  }
}
