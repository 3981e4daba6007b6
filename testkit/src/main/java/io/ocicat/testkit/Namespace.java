package io.ocicat.testkit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/** A named network namespace of {@code ip netns}: created, emptied of processes, removed. */
final class Namespace {

  static final Path DIRECTORY = Path.of("/run/netns");

  private Namespace() {}

  static Path path(String name) {
    return DIRECTORY.resolve(name);
  }

  static void create(String name) {
    Command add =
        inUserNamespace()
            // ip returns to the network namespace it came from, which must be ours for that.
            ? Command.of("unshare", "--net", "--", Tool.locate("ip"), "netns", "add", name)
            : Command.of("ip", "netns", "add", name);
    Output output = add.attempt();
    if (!output.succeeded()) {
      throw new TestkitException(
          """
          cannot make a network namespace: run the tests as root or through ./check, which enters \
          a user namespace when it is not root
          """
              + output);
    }
  }

  /** Whether this JVM is root only inside a user namespace, or not at all. */
  private static boolean inUserNamespace() {
    try {
      return !Files.readString(Path.of("/proc/self/uid_map")).strip().matches("0 +0 +4294967295");
    } catch (IOException e) {
      throw new TestkitException("cannot read /proc/self/uid_map: " + e.getMessage(), e);
    }
  }

  /** Kills what still runs in it and removes it; one that is already gone is not an error. */
  static void remove(String name) {
    killProcessesIn(name);
    Output output = Command.of("ip", "netns", "del", name).attempt();
    if (!output.succeeded() && Files.exists(path(name))) {
      throw new TestkitException("cannot remove the network namespace " + name + ": " + output);
    }
  }

  /** Removes the namespaces left by test runs that no longer exist. */
  static void cleanUp() {
    if (!Files.isDirectory(DIRECTORY)) {
      return;
    }
    try (Stream<Path> entries = Files.list(DIRECTORY)) {
      entries
          .map(entry -> entry.getFileName().toString())
          .filter(name -> HostName.parse(name).filter(HostName::ownerIsGone).isPresent())
          .toList()
          .forEach(Namespace::remove);
    } catch (IOException e) {
      throw new TestkitException("cannot list " + DIRECTORY + ": " + e.getMessage(), e);
    }
  }

  private static void killProcessesIn(String name) {
    String link;
    try {
      link = "net:[" + Files.getAttribute(path(name), "unix:ino") + "]";
    } catch (IOException e) {
      return; // Gone, together with its file.
    }
    Eventually.await(
        "the processes in " + name + " to end",
        Duration.ofSeconds(10),
        () -> {
          List<ProcessHandle> inside =
              ProcessHandle.allProcesses().filter(process -> isIn(process, link)).toList();
          inside.forEach(ProcessHandle::destroyForcibly);
          return inside.isEmpty();
        });
  }

  private static boolean isIn(ProcessHandle process, String link) {
    try {
      Path namespace = Path.of("/proc", Long.toString(process.pid()), "ns", "net");
      return process.pid() != ProcessHandle.current().pid()
          && Files.readSymbolicLink(namespace).toString().equals(link);
    } catch (IOException e) {
      return false; // Ended meanwhile, or another user's.
    }
  }
}
