package io.ocicat.interop.docs;

import io.ocicat.interop.ControlGroups;
import io.ocicat.testkit.Command;
import io.ocicat.testkit.Output;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * A fresh machine for one page: it has its own network, processes, host name and writable
 * directories, which end with it ({@code lab.sh}). The reader sits in {@code ~/ocicat}, a copy of
 * this source tree with the distribution built, and has that on the path.
 */
final class Lab {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

  private final Path scripts;

  /**
   * @param home an empty directory
   */
  Lab(Path home) throws IOException {
    scripts = Files.createDirectories(home.resolve("scripts"));
    for (String name :
        List.of(
            "lab.sh", "bin/systemctl", "bin/journalctl", "bin/podman", "bin/java", "bin/javac")) {
      Path script = scripts.resolve(name);
      Files.createDirectories(script.getParent());
      try (var in = Lab.class.getResourceAsStream(name)) {
        Files.write(script, Objects.requireNonNull(in, name).readAllBytes());
      }
      script.toFile().setExecutable(true);
    }
  }

  /** The outcome of one block. */
  record Ran(Block block, boolean reached, int exitCode, Optional<Integer> failedAt, String out) {
    List<String> lines() {
      return out.lines().toList();
    }
  }

  /** Types the blocks one after the other into one shell, until one fails. */
  List<Ran> type(List<Block> blocks, Path results, Duration limit) throws IOException {
    for (int number = 0; number < blocks.size(); number++) {
      Files.writeString(results.resolve(number + ".sh"), blocks.get(number).text());
    }
    String session = Session.of(blocks);
    Files.writeString(results.resolve("session"), session);
    String group = "ocicat-docs-" + ProcessHandle.current().pid();
    Output lab =
        Command.of(
                "unshare",
                "--mount",
                "--net",
                "--uts",
                "--ipc",
                "--pid",
                "--fork",
                "--kill-child",
                "bash",
                scripts.resolve("lab.sh").toString(),
                scripts.toString(),
                ROOT.toString(),
                results.toString(),
                System.getProperty("java.home"),
                group)
            .limit(limit)
            .attempt();
    ControlGroups.remove(group);
    if (Files.notExists(results.resolve("ready"))) {
      throw new IllegalStateException("no lab could be made: " + lab);
    }
    List<Ran> all = new ArrayList<>();
    for (int number = 0; number < blocks.size(); number++) {
      all.add(
          new Ran(
              blocks.get(number),
              Files.exists(results.resolve(number + ".out")),
              number(results.resolve(number + ".code")).orElse(-1),
              number(results.resolve(number + ".failed")),
              text(results.resolve(number + ".out"))));
    }
    return all;
  }

  private static Optional<Integer> number(Path file) throws IOException {
    return Files.exists(file)
        ? Optional.of(Integer.valueOf(Files.readString(file).strip()))
        : Optional.empty();
  }

  private static String text(Path file) throws IOException {
    return Files.exists(file) ? new String(Files.readAllBytes(file), StandardCharsets.UTF_8) : "";
  }
}
