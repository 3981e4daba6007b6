package io.ocicat.image.store;

import io.ocicat.image.archive.ArchiveException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** Writes a decompressed stream to a file, up to a limit. */
final class Expansion {
  private Expansion() {}

  static void write(InputStream in, Path target, long most) throws IOException {
    byte[] buffer = new byte[128 << 10];
    long written = 0;
    try (OutputStream out = Files.newOutputStream(target)) {
      int length;
      while ((length = in.read(buffer)) >= 0) {
        written += length;
        if (written > most) {
          throw new ArchiveException(
              "it expands to more than the allowed %d bytes".formatted(most));
        }
        out.write(buffer, 0, length);
      }
    }
  }
}
