package io.ocicat.sandbox.container.conmon;

import io.ocicat.sandbox.infra.ProcessId;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Finds processes by an argument that only they have. After a crash nothing else shows whether a
 * monitor or a runtime is still about to create something.
 */
final class ProcessesByArgument {
  private ProcessesByArgument() {}

  static List<ProcessId> of(String argument) {
    return find(argument).keySet().stream().toList();
  }

  /** Whether a process has one argument, and not another. */
  static boolean hasOther(String argument, String not) {
    return find(argument).values().stream().anyMatch(arguments -> !arguments.contains(not));
  }

  private static Map<ProcessId, List<String>> find(String argument) {
    Map<ProcessId, List<String>> found = new LinkedHashMap<>();
    long self = ProcessHandle.current().pid();
    try (DirectoryStream<Path> all = Files.newDirectoryStream(Path.of("/proc"), "[0-9]*")) {
      for (Path each : all) {
        long pid = Long.parseLong(each.getFileName().toString());
        List<String> arguments = pid == self ? List.of() : arguments(each.resolve("cmdline"));
        if (arguments.contains(argument)) {
          found.put(ProcessId.of(pid), arguments);
        }
      }
    } catch (IOException | DirectoryIteratorException _) {
      // A process that is not visible cannot be ended.
    }
    return found;
  }

  private static List<String> arguments(Path commandLine) {
    try {
      String text = new String(Files.readAllBytes(commandLine), StandardCharsets.UTF_8);
      return List.of(text.split("\0", -1));
    } catch (IOException _) {
      return List.of();
    }
  }
}
