package io.ocicat.sandbox.pods;

import io.ocicat.sandbox.infra.ProcessId;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Finds the processes in a network namespace: they may outlive what started them. */
final class NetnsProcesses {
  private NetnsProcesses() {}

  static List<ProcessId> of(Path netns) {
    List<ProcessId> found = new ArrayList<>();
    Object namespace = identity(netns);
    if (namespace == null) {
      return found;
    }
    long self = ProcessHandle.current().pid();
    try (DirectoryStream<Path> all = Files.newDirectoryStream(Path.of("/proc"), "[0-9]*")) {
      for (Path each : all) {
        long pid = Long.parseLong(each.getFileName().toString());
        if (pid != self && namespace.equals(identity(each.resolve("ns/net")))) {
          found.add(ProcessId.of(pid));
        }
      }
    } catch (IOException | DirectoryIteratorException _) {
      // A process that is not visible cannot be ended.
    }
    return found;
  }

  private static @Nullable Object identity(Path path) {
    try {
      return Files.readAttributes(path, "unix:dev,ino");
    } catch (IOException _) {
      return null;
    }
  }
}
