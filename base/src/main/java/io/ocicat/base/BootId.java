package io.ocicat.base;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;

/** The kernel's boot id: tells whether a record is from before the last restart. */
public record BootId(UUID id) {
  public static final Path FILE = Path.of("/proc/sys/kernel/random/boot_id");

  public static BootId current() {
    return read(FILE);
  }

  /** Reads another file, so that tests can simulate a restart. */
  public static BootId read(Path file) {
    try {
      return new BootId(UUID.fromString(Files.readString(file).strip()));
    } catch (IOException e) {
      throw new UncheckedIOException("cannot tell when the machine was started", e);
    }
  }

  /** As the kernel writes it. */
  @Override
  public String toString() {
    return id.toString();
  }
}
