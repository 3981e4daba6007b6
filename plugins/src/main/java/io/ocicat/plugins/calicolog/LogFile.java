package io.ocicat.plugins.calicolog;

import io.ocicat.netlink.linux.FileLock;
import io.ocicat.netlink.linux.NetlinkException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.zip.GZIPOutputStream;

/**
 * A log file that many processes append to. The first process to find it full rotates and
 * compresses it; files that are too old or too many are removed then.
 */
record LogFile(Path path, LogConf conf, Clock clock) {
  private static final long MEGABYTE = 1 << 20;
  private static final Duration TIMEOUT = Duration.ofMillis(200);
  private static final String COMPRESSED = ".gz";
  private static final DateTimeFormatter STAMP =
      DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH-mm-ss.SSS", Locale.ROOT)
          .withZone(ZoneOffset.UTC);

  /** Writes a line. Returns why it could not, because no call fails for that. */
  Optional<String> append(String line) {
    try {
      Files.createDirectories(path.resolveSibling(""));
      if (isFull()) {
        rotate();
      }
      Files.write(
          path,
          (line + "\n").getBytes(StandardCharsets.UTF_8),
          StandardOpenOption.CREATE,
          StandardOpenOption.APPEND);
      return Optional.empty();
    } catch (IOException | NetlinkException e) {
      return Optional.of("cannot write to the log %s: %s".formatted(path, e));
    }
  }

  private boolean isFull() throws IOException {
    try {
      return Files.size(path) >= conf.maxMegabytes() * MEGABYTE;
    } catch (NoSuchFileException _) {
      return false;
    }
  }

  private void rotate() throws IOException {
    Path folder = path.resolveSibling("");
    try (FileLock _ = FileLock.acquire(folder, FileLock.Mode.EXCLUSIVE, TIMEOUT)) {
      if (isFull()) {
        Path aside = folder.resolve(stem() + "-" + STAMP.format(clock.instant()) + ending());
        Files.move(path, aside);
        compress(aside);
        removeOld(folder);
      }
    }
  }

  private static void compress(Path aside) throws IOException {
    Path compressed = aside.resolveSibling(aside.getFileName() + COMPRESSED);
    try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(compressed))) {
      Files.copy(aside, out);
    }
    Files.delete(aside);
  }

  private void removeOld(Path folder) throws IOException {
    List<Path> kept = new ArrayList<>();
    try (DirectoryStream<Path> files =
        Files.newDirectoryStream(folder, stem() + "-*" + ending() + COMPRESSED)) {
      files.forEach(kept::add);
    }
    kept.sort(Comparator.reverseOrder());
    Instant oldest = clock.instant().minus(Duration.ofDays(conf.maxDays()));
    for (int i = 0; i < kept.size(); i++) {
      if (i >= conf.maxFiles()
          || Files.getLastModifiedTime(kept.get(i)).toInstant().isBefore(oldest)) {
        Files.deleteIfExists(kept.get(i));
      }
    }
  }

  private String stem() {
    String name = String.valueOf(path.getFileName());
    return name.substring(0, name.length() - ending().length());
  }

  private String ending() {
    String name = String.valueOf(path.getFileName());
    int dot = name.lastIndexOf('.');
    return dot <= 0 ? "" : name.substring(dot);
  }
}
