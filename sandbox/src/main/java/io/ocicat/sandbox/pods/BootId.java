package io.ocicat.sandbox.pods;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Identifies the current boot of the machine. */
final class BootId {
  private BootId() {}

  static String current() {
    try {
      return Files.readString(Path.of("/proc/sys/kernel/random/boot_id")).strip();
    } catch (IOException _) {
      return "";
    }
  }
}
