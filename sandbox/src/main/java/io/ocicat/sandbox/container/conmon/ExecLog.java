package io.ocicat.sandbox.container.conmon;

import io.ocicat.sandbox.container.ExecResult;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/**
 * Reads a log in CRI's format back into what a process wrote. Each line is {@code <time> <stream>
 * <tag> <content>}; with the tag P the line break at its end is the log's, with F the process's.
 */
final class ExecLog {
  private ExecLog() {}

  /**
   * @param most bytes of both streams together; the rest is dropped
   */
  static ExecResult read(Path file, int most, int exitCode) throws IOException {
    ByteArrayOutputStream stdout = new ByteArrayOutputStream();
    ByteArrayOutputStream stderr = new ByteArrayOutputStream();
    byte[] log;
    try {
      log = Files.readAllBytes(file);
    } catch (NoSuchFileException _) {
      log = new byte[0];
    }
    int at = 0;
    while (at < log.length) {
      int end = indexOf(log, '\n', at);
      int stream = indexOf(log, ' ', at) + 1;
      int tag = indexOf(log, ' ', stream) + 1;
      int content = indexOf(log, ' ', tag) + 1;
      if (content <= end) {
        boolean ofError =
            new String(log, stream, tag - 1 - stream, StandardCharsets.US_ASCII).equals("stderr");
        boolean whole = log[tag] == 'F' && end < log.length;
        int length = end - content + (whole ? 1 : 0);
        int room = most - stdout.size() - stderr.size();
        (ofError ? stderr : stdout).write(log, content, Math.min(length, room));
      }
      at = end + 1;
    }
    return new ExecResult(stdout.toByteArray(), stderr.toByteArray(), exitCode);
  }

  /** The length of the log when there is none. */
  private static int indexOf(byte[] log, char c, int from) {
    int at = from;
    while (at < log.length && log[at] != c) {
      at++;
    }
    return at;
  }
}
