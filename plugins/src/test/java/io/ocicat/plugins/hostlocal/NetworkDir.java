package io.ocicat.plugins.hostlocal;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** A test's view of a network's lease directory. */
record NetworkDir(Path path) {

  /** Every entry of the directory with its content; directories end with a slash. */
  Map<String, String> files() {
    try (Stream<Path> entries = Files.list(path)) {
      Map<String, String> files = new TreeMap<>();
      for (Path entry : entries.toList()) {
        String name = entry.getFileName().toString();
        if (Files.isDirectory(entry)) {
          files.put(name + "/", "");
        } else {
          files.put(name, Files.readString(entry, UTF_8));
        }
      }
      return files;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The same without the lock and the last reserved addresses. */
  Map<String, String> leases() {
    Map<String, String> leases = files();
    leases.keySet().removeIf(name -> name.equals("lock") || name.startsWith("last_reserved_ip."));
    return leases;
  }

  NetworkDir put(String name, String content) {
    try {
      Files.createDirectories(path);
      Files.writeString(path.resolve(name), content);
      return this;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  void remove(String name) {
    try {
      Files.delete(path.resolve(name));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
