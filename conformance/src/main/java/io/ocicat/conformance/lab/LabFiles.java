package io.ocicat.conformance.lab;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.ocicat.conformance.subject.ConformanceException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The directories of a lab: for the plugin's data, as its working directory, and as its TMPDIR. */
public final class LabFiles {
  /** Plugins store a few words per container; a larger file is not about one. */
  private static final long LARGEST = 1 << 20;

  private final Path directory;
  private final Transcript transcript;

  LabFiles(Path directory, Transcript transcript) {
    this.directory = directory;
    this.transcript = transcript;
  }

  /**
   * @param given the files that the plugin finds in its data directory
   */
  void prepare(Map<String, String> given) {
    for (Path path : all()) {
      try {
        Files.createDirectories(path);
      } catch (IOException e) {
        throw cannot("make", path, e);
      }
    }
    transcript.addCommand(
        "mkdir -p %s && cd %s"
            .formatted(
                all().stream()
                    .map(path -> Shell.quote(path.toString()))
                    .collect(Collectors.joining(" ")),
                Shell.quote(work().toString())));
    given.forEach(
        (name, content) -> {
          Path file = write("data/" + name, content);
          transcript.addCommand(Shell.print(content) + " >" + Shell.quote(file.toString()));
        });
  }

  private List<Path> all() {
    return List.of(data(), work(), temporary());
  }

  /** Where the plugin is configured to keep its files. */
  Path data() {
    return directory.resolve("data");
  }

  /** For a database, whose content cannot be attributed to containers. */
  Path state() {
    return directory.resolve("state");
  }

  Path work() {
    return directory.resolve("work");
  }

  Path temporary() {
    return directory.resolve("tmp");
  }

  /** For the service that the plugin uses, and nothing of the plugin's. */
  Path service() {
    return directory.resolve("service");
  }

  /** A path that does not exist. */
  public Path nowhere() {
    return directory.resolve("no-such-namespace");
  }

  /** A path that is a file and not a namespace. */
  public Path plainFile() {
    Path file = write("plain-file", "");
    transcript.addCommand(": >" + Shell.quote(file.toString()));
    return file;
  }

  Path write(String name, String text) {
    Path file = directory.resolve(name);
    try {
      return Files.writeString(file, text);
    } catch (IOException e) {
      throw cannot("write", file, e);
    }
  }

  Decoy decoy(String folder, String name) {
    return new Decoy(directory.resolve(folder), name);
  }

  /** Deletes everything the plugin has stored. */
  public void loseData() {
    Scratch.deleteContent(data());
    transcript.addCommand("rm -rf %s/*".formatted(Shell.quote(data().toString())));
  }

  /** All files that the plugin has made. */
  public Snapshot snapshot() {
    return all().stream().map(Snapshot::of).reduce(Snapshot::and).orElseThrow();
  }

  /** The plugin's data files that mention a container, in their name or content. */
  public List<String> about(LabContainer container) {
    try (Stream<Path> files = Files.walk(data())) {
      return files
          .filter(path -> !path.equals(data()))
          .filter(path -> isAbout(path, container.id()))
          .map(path -> data().relativize(path).toString())
          .sorted()
          .toList();
    } catch (IOException e) {
      throw cannot("list", data(), e);
    }
  }

  private static boolean isAbout(Path path, String id) {
    try {
      return path.getFileName().toString().contains(id)
          || (Files.isRegularFile(path)
              && Files.size(path) <= LARGEST
              && Files.readString(path, ISO_8859_1).contains(id));
    } catch (NoSuchFileException _) {
      return false;
    } catch (IOException e) {
      throw cannot("read", path, e);
    }
  }

  void delete() {
    Scratch.delete(directory);
  }

  private static ConformanceException cannot(String what, Path path, IOException e) {
    return new ConformanceException("cannot %s %s: %s".formatted(what, path, e.getMessage()), e);
  }
}
