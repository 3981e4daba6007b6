package io.ocicat.plugins.calicolog;

import io.ocicat.base.json.JsonFields;
import io.ocicat.plugins.support.AbsolutePath;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;

/**
 * The log settings: level, file and rotation.
 *
 * @param file empty for standard error alone
 * @param maxMegabytes of the file before it is rotated
 */
public record LogConf(
    Level level,
    String unknownLevel,
    Optional<Path> file,
    int maxMegabytes,
    int maxDays,
    int maxFiles) {
  /** How much is logged. */
  public enum Level {
    DEBUG,
    INFO,
    WARNING,
    ERROR
  }

  private static final int MAX_MEGABYTES = 100;
  private static final int MAX_DAYS = 30;
  private static final int MAX_FILES = 10;
  private static final int MAX = 1_000_000;

  /** Reads {@code log_level} and {@code log_file_…}, which every plugin of Calico has. */
  public static LogConf read(JsonFields in) {
    String level = in.text("log_level").or("info").toLowerCase(Locale.ROOT);
    Optional<Level> known =
        switch (level) {
          case "debug" -> Optional.of(Level.DEBUG);
          case "", "info" -> Optional.of(Level.INFO);
          case "warning", "warn" -> Optional.of(Level.WARNING);
          case "error" -> Optional.of(Level.ERROR);
          default -> Optional.empty();
        };
    return new LogConf(
        known.orElse(Level.INFO),
        known.isEmpty() ? level : "",
        in.text("log_file_path").map(LogConf::path, Optional.<Path>empty()).or(Optional.empty()),
        positive(in, "log_file_max_size", MAX_MEGABYTES),
        positive(in, "log_file_max_age", MAX_DAYS),
        positive(in, "log_file_max_count", MAX_FILES));
  }

  private static int positive(JsonFields in, String name, int fallback) {
    int given = in.integer(name, 0, MAX).or(0);
    return given == 0 ? fallback : given;
  }

  private static Optional<Path> path(String text) {
    return text.isEmpty() ? Optional.empty() : Optional.of(AbsolutePath.parse(text));
  }
}
