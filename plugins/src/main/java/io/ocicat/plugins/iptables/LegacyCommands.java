package io.ocicat.plugins.iptables;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.netlink.IpFamily;
import io.ocicat.plugins.net.NetnsSockets;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Runs the commands that read and change xtables as text, in the namespace of a host.
 *
 * @param namespace a path to that namespace, valid while the host is open
 */
record LegacyCommands(Path enter, Path save, Path restore, Path namespace) {
  private static final Duration LIMIT = Duration.ofSeconds(20);

  /** How long to wait for other programs that change xtables; less than the limit. */
  private static final String LOCK_SECONDS = "10";

  private static final List<String> SYSTEM_DIRECTORIES =
      List.of("/usr/sbin", "/sbin", "/usr/bin", "/bin", "/usr/local/sbin");

  static Optional<LegacyCommands> find(NetnsSockets host, IpFamily family) {
    String tool = tool(family);
    Path namespace = namespace(host);
    return locate("nsenter")
        .flatMap(
            enter ->
                Stream.of(tool + "-legacy", tool)
                    .flatMap(name -> pair(enter, name, namespace).stream())
                    .filter(LegacyCommands::isLegacy)
                    .findFirst());
  }

  /**
   * The commands with the plain name, whichever backend they use: what other programs call
   * iptables.
   */
  static Optional<LegacyCommands> usual(NetnsSockets host, IpFamily family) {
    return locate("nsenter").flatMap(enter -> pair(enter, tool(family), namespace(host)));
  }

  private static String tool(IpFamily family) {
    return family == IpFamily.V4 ? "iptables" : "ip6tables";
  }

  private static Path namespace(NetnsSockets host) {
    return Path.of(
        "/proc",
        Long.toString(ProcessHandle.current().pid()),
        "fd",
        Integer.toString(host.namespace().descriptor()));
  }

  private static Optional<LegacyCommands> pair(Path enter, String name, Path namespace) {
    return locate(name + "-save")
        .flatMap(
            save ->
                locate(name + "-restore")
                    .map(restore -> new LegacyCommands(enter, save, restore, namespace)));
  }

  /** Both variants use the plain name; their version output says which one it is. */
  private boolean isLegacy() {
    return run(List.of(save.toString(), "--version"), "").stream()
        .noneMatch(line -> line.contains("nf_tables"));
  }

  /** The table as text, line by line. */
  List<String> save(String table) {
    return run(List.of(save.toString(), "-t", table), "");
  }

  /** Makes all of these changes to a table, or none. */
  void restore(String table, List<String> changes) {
    String script = "*%s\n%s\nCOMMIT\n".formatted(table, String.join("\n", changes));
    run(List.of(restore.toString(), "--noflush", "--wait", LOCK_SECONDS), script);
  }

  private List<String> run(List<String> command, String input) {
    List<String> inside = new ArrayList<>(List.of(enter.toString(), "--net=" + namespace, "--"));
    inside.addAll(command);
    try {
      Process process = new ProcessBuilder(inside).redirectErrorStream(true).start();
      Thread limit = Thread.ofVirtual().start(() -> endAtLimit(process));
      try (OutputStream stdin = process.getOutputStream()) {
        stdin.write(input.getBytes(UTF_8));
      }
      String output = new String(process.getInputStream().readAllBytes(), UTF_8);
      int exitCode = process.waitFor();
      limit.interrupt();
      if (exitCode != 0) {
        throw failure(command, "exit code %d: %s".formatted(exitCode, output.strip()));
      }
      return output.lines().toList();
    } catch (IOException e) {
      throw failure(command, String.valueOf(e.getMessage()));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw failure(command, "interrupted");
    }
  }

  private static void endAtLimit(Process process) {
    try {
      if (!process.waitFor(LIMIT)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      // It ended by itself.
    }
  }

  private static CniException failure(List<String> command, String reason) {
    return new CniException(
        ErrorCode.INTERNAL,
        "failed to run \"%s\": %s".formatted(String.join(" ", command), reason));
  }

  private static Optional<Path> locate(String name) {
    String path = System.getenv().getOrDefault("PATH", "");
    return Stream.concat(Stream.of(path.split(":", -1)), SYSTEM_DIRECTORIES.stream())
        .filter(directory -> directory.startsWith("/"))
        .map(directory -> Path.of(directory, name))
        .filter(Files::isExecutable)
        .findFirst();
  }
}
