package io.ocicat.sandbox.container.oci;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** How the mounts of this machine propagate; see mount_namespaces(7). */
final class MountTable {
  private static final int POINT = 4;
  private static final int FIRST_OPTIONAL = 6;

  private record Entry(Path point, boolean shared, boolean slave) {}

  private final List<Entry> entries = new ArrayList<>();

  private MountTable(List<String> lines) {
    for (String line : lines) {
      String[] fields = line.split(" ", -1);
      boolean shared = false;
      boolean slave = false;
      for (int i = FIRST_OPTIONAL; i < fields.length && !fields[i].equals("-"); i++) {
        shared |= fields[i].startsWith("shared:");
        slave |= fields[i].startsWith("master:");
      }
      entries.add(new Entry(Path.of(unescaped(fields[POINT])), shared, slave));
    }
  }

  static MountTable current() {
    try {
      return new MountTable(Files.readAllLines(Path.of("/proc/self/mountinfo")));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The kernel writes blanks and backslashes as three octal digits. */
  private static String unescaped(String field) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < field.length(); i++) {
      if (field.charAt(i) == '\\' && i + 3 < field.length()) {
        text.append((char) Integer.parseInt(field.substring(i + 1, i + 4), 8));
        i += 3;
      } else {
        text.append(field.charAt(i));
      }
    }
    return text.toString();
  }

  boolean isShared(Path path) {
    return of(path).shared();
  }

  boolean isSharedOrSlave(Path path) {
    Entry entry = of(path);
    return entry.shared() || entry.slave();
  }

  /** Where the file system of a path is mounted. */
  Path pointOf(Path path) {
    return of(path).point();
  }

  /** The deepest, and of several on one point the last. */
  private Entry of(Path path) {
    Entry found = new Entry(Path.of("/"), false, false);
    for (Entry each : entries) {
      if (path.startsWith(each.point())
          && each.point().getNameCount() >= found.point().getNameCount()) {
        found = each;
      }
    }
    return found;
  }
}
