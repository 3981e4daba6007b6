package io.ocicat.agent.bird;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;

/**
 * The files of a node's BIRD in the run directory.
 *
 * @param directory absolute, without the quotation marks and line ends that BIRD's configuration
 *     cannot express
 */
public record BirdFiles(Path directory) {
  private static final int LAST_LINES = 32 << 10;

  public BirdFiles {
    directory = directory.toAbsolutePath();
    if (directory.toString().chars().anyMatch(c -> c < ' ' || c == '"')) {
      throw new IllegalArgumentException(
          "%s cannot be BIRD's directory: its path has a character that BIRD does not accept"
              .formatted(directory));
    }
  }

  /** The configuration in force. */
  public Path configuration() {
    return directory.resolve("bird.conf");
  }

  /** A configuration that is not in force yet. */
  Path draft() {
    return directory.resolve("bird.conf.new");
  }

  /** The last configuration that BIRD did not accept, for people to look at. */
  Path rejected() {
    return directory.resolve("bird.conf.rejected");
  }

  public Path socket() {
    return directory.resolve("bird.ctl");
  }

  Path pid() {
    return directory.resolve("bird.pid");
  }

  public Path log() {
    return directory.resolve("bird.log");
  }

  /** What BIRD prints before it has a log. */
  Path output() {
    return directory.resolve("bird.out");
  }

  void create() throws IOException {
    Files.createDirectories(
        directory,
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
  }

  /** The last line of a file that is not blank. */
  static Optional<String> lastLine(Path file) {
    try (var channel = Files.newByteChannel(file)) {
      channel.position(Math.max(0, channel.size() - LAST_LINES));
      var bytes = java.nio.ByteBuffer.allocate(LAST_LINES);
      while (bytes.hasRemaining() && channel.read(bytes) >= 0) {
        // Until the end, or as much as is looked at.
      }
      String text = new String(bytes.array(), 0, bytes.position(), StandardCharsets.UTF_8);
      List<String> lines = text.lines().filter(line -> !line.isBlank()).toList();
      return lines.isEmpty() ? Optional.empty() : Optional.of(lines.getLast().strip());
    } catch (IOException _) {
      return Optional.empty();
    }
  }
}
