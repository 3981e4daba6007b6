package io.ocicat.cli;

import io.ocicat.daemon.state.StateFolders;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.function.Consumer;

/**
 * The log file of a daemon that a call started: standard error appends to the file, of which the
 * last one or two mebibytes are kept. Thread-safe.
 */
final class BoundedLog implements Consumer<String> {
  static final long MOST_BYTES = 1 << 20;

  private final Path file;
  private final PrintStream stream;
  private long bytes;

  private BoundedLog(Path file, PrintStream stream, long bytes) {
    this.file = file;
    this.stream = stream;
    this.bytes = bytes;
  }

  /** The log of a daemon that was started by a call. */
  static BoundedLog onDemand(StateFolders folders, PrintStream stream) {
    return of(folders.state().resolve("on-demand.log"), stream);
  }

  /**
   * @param stream appends to that file
   */
  static BoundedLog of(Path file, PrintStream stream) {
    try {
      return new BoundedLog(file, stream, Files.exists(file) ? Files.size(file) : 0);
    } catch (IOException _) {
      return new BoundedLog(file, stream, 0);
    }
  }

  @Override
  public synchronized void accept(String line) {
    bytes += line.getBytes(StandardCharsets.UTF_8).length + 1;
    if (bytes > MOST_BYTES) {
      rotate();
      bytes = 0;
    }
    stream.println(line);
  }

  /** The stream continues in the same file, from its beginning: it was opened to append. */
  private void rotate() {
    Path before = file.resolveSibling(file.getFileName() + ".1");
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      Files.copy(file, before, StandardCopyOption.REPLACE_EXISTING);
      channel.truncate(0);
    } catch (IOException e) {
      stream.println("cannot shorten " + file + ": " + e.getMessage());
    }
  }
}
