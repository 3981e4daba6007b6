package io.ocicat.cli.pod;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The log of a container.
 *
 * @param tagged whether each line begins with CRI's time, stream and tag
 */
record ContainerLog(Path file, boolean tagged) {
  private static final Duration PAUSE = Duration.ofMillis(200);
  private static final int BUFFER = 64 << 10;

  /** Prints all of it, and what is added until the container has ended. */
  void print(PrintWriter out, PrintWriter err, BooleanSupplier running)
      throws IOException, InterruptedException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    boolean last = false;
    @Nullable Object identity = null;
    long position = 0;
    while (true) {
      Object now = identity();
      if (!Objects.equals(now, identity)) {
        // The first time, and after the file was rotated.
        identity = now;
        position = 0;
        line.reset();
      }
      position = printFrom(position, line, out, err);
      out.flush();
      err.flush();
      if (last) {
        return;
      }
      // Once more after the end: it may have printed until then.
      last = !running.getAsBoolean();
      if (!last) {
        Thread.sleep(PAUSE);
      }
    }
  }

  private @Nullable Object identity() throws IOException {
    try {
      return Files.readAttributes(file, BasicFileAttributes.class).fileKey();
    } catch (NoSuchFileException _) {
      return null;
    }
  }

  private long printFrom(
      long position, ByteArrayOutputStream line, PrintWriter out, PrintWriter err)
      throws IOException {
    if (!Files.exists(file)) {
      return position;
    }
    try (RandomAccessFile in = new RandomAccessFile(file.toFile(), "r")) {
      in.seek(position);
      byte[] buffer = new byte[BUFFER];
      for (int count = in.read(buffer); count > 0; count = in.read(buffer)) {
        for (int i = 0; i < count; i++) {
          line.write(buffer[i]);
          if (buffer[i] == '\n') {
            print(line.toString(StandardCharsets.UTF_8), out, err);
            line.reset();
          }
        }
      }
      return in.getFilePointer();
    }
  }

  /** {@code <time> <stdout|stderr> <P|F> <text>}; P says that the program's line goes on. */
  private void print(String line, PrintWriter out, PrintWriter err) {
    String[] parts = line.split(" ", 4);
    if (!tagged || parts.length < 4) {
      out.print(line);
      return;
    }
    PrintWriter target = parts[1].equals("stderr") ? err : out;
    target.print(
        parts[2].startsWith("P") ? parts[3].substring(0, parts[3].length() - 1) : parts[3]);
  }
}
