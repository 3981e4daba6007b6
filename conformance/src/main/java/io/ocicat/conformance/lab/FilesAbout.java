package io.ocicat.conformance.lab;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.ocicat.conformance.ConformanceException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Looks for a word in the names and contents of files. */
final class FilesAbout {
  /** Plugins keep a few words per container; whatever is larger is no such file. */
  private static final long LARGEST = 1 << 20;

  private FilesAbout() {}

  static List<String> find(Path directory, String word) {
    try (Stream<Path> all = Files.walk(directory)) {
      return all.filter(path -> !path.equals(directory))
          .filter(path -> path.getFileName().toString().contains(word) || holds(path, word))
          .map(path -> directory.relativize(path).toString())
          .sorted()
          .toList();
    } catch (IOException e) {
      throw new ConformanceException("cannot list " + directory + ": " + e.getMessage(), e);
    }
  }

  private static boolean holds(Path path, String word) {
    try {
      return Files.isRegularFile(path)
          && Files.size(path) <= LARGEST
          && Files.readString(path, ISO_8859_1).contains(word);
    } catch (NoSuchFileException _) {
      return false;
    } catch (IOException e) {
      throw new ConformanceException("cannot read " + path + ": " + e.getMessage(), e);
    }
  }
}
