package io.ocicat.agent.bird;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** Finds out which process listens at a TCP port, as ss(8) does. */
final class PortHolder {
  private static final Path PROC = Path.of("/proc");
  private static final String LISTENING = "0A";
  private static final int LOCAL = 1;
  private static final int STATE = 3;
  private static final int INODE = 9;

  private PortHolder() {}

  /**
   * Describes who listens at a port in the network namespace of a process.
   *
   * @param but the process that is not meant
   */
  static Optional<String> find(int port, long but) {
    Path net = PROC.resolve(Long.toString(but)).resolve("net");
    Set<String> sockets = new HashSet<>();
    for (String table : List.of("tcp", "tcp6")) {
      sockets.addAll(listening(net.resolve(table), port));
    }
    if (sockets.isEmpty()) {
      return Optional.empty();
    }
    try (Stream<Path> processes = Files.list(PROC)) {
      return processes
          .filter(path -> Character.isDigit(path.getFileName().toString().charAt(0)))
          .filter(path -> !path.getFileName().toString().equals(Long.toString(but)))
          .filter(path -> holds(path, sockets))
          .map(PortHolder::describe)
          .findFirst();
    } catch (IOException _) {
      return Optional.empty();
    }
  }

  private static Set<String> listening(Path table, int port) {
    Set<String> sockets = new HashSet<>();
    String suffix = ":%04X".formatted(port);
    try {
      for (String line : Files.readAllLines(table)) {
        String[] columns = line.strip().split("\\s+", -1);
        if (columns.length > INODE
            && columns[LOCAL].endsWith(suffix)
            && columns[STATE].equals(LISTENING)) {
          sockets.add("socket:[%s]".formatted(columns[INODE]));
        }
      }
    } catch (IOException _) {
      // The process has ended, or IPv6 is off.
    }
    return sockets;
  }

  private static boolean holds(Path process, Set<String> sockets) {
    try (Stream<Path> descriptors = Files.list(process.resolve("fd"))) {
      return descriptors.anyMatch(descriptor -> sockets.contains(target(descriptor)));
    } catch (IOException _) {
      return false;
    }
  }

  private static String target(Path descriptor) {
    try {
      return Files.readSymbolicLink(descriptor).toString();
    } catch (IOException _) {
      return "";
    }
  }

  private static String describe(Path process) {
    String name = "?";
    try {
      name = Files.readString(process.resolve("comm")).strip();
    } catch (IOException _) {
      // It has just ended.
    }
    return "%s (pid %s)".formatted(name, process.getFileName());
  }
}
