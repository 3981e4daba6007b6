package io.ocicat.plugins.support;

import io.ocicat.base.json.JsonFields;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;

/**
 * Reads a member of a configuration that names a file of the host. The path must be absolute: a
 * daemon's working directory is not its caller's.
 */
public final class AbsolutePath {
  private AbsolutePath() {}

  /** The path; the fallback when the member is absent or empty. */
  public static Path read(JsonFields in, String name, String fallback) {
    return in.text(name)
        .map(text -> parse(text.isEmpty() ? fallback : text), Path.of(fallback))
        .or(Path.of(fallback));
  }

  /**
   * Parses a path.
   *
   * @throws IllegalArgumentException with a message that continues after the member's name
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
