package io.ocicat.sandbox.container.conmon;

import io.ocicat.sandbox.infra.ProcessId;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Finds processes by an argument that only they have. After a crash nothing else tells whether a
 * monitor or a runtime is still about to create something.
 */
final class ProcessesByArgument {
  private ProcessesByArgument() {}

  static List<ProcessId> of(String argument) {
    List<ProcessId> found = new ArrayList<>();
    long self = ProcessHandle.current().pid();
    try (DirectoryStream<Path> all = Files.newDirectoryStream(Path.of("/proc"), "[0-9]*")) {
      for (Path each : all) {
        long pid = Long.parseLong(each.getFileName().toString());
        if (pid != self && has(each.resolve("cmdline"), argument)) {
          found.add(ProcessId.of(pid));
        }
      }
    } catch (IOException | DirectoryIteratorException _) {
      // A process that is not visible cannot be ended.
    }
    return found;
  }

  private static boolean has(Path commandLine, String argument) {
    try {
      String text = new String(Files.readAllBytes(commandLine), StandardCharsets.UTF_8);
      return List.of(text.split("\0", -1)).contains(argument);
    } catch (IOException _) {
      return false;
    }
  }
}
