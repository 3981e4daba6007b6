package io.ocicat.sandbox.pods;

import io.ocicat.sandbox.TestNode;
import io.ocicat.testkit.Command;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Output;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Starts processes of {@link KillMain}. There are hundreds of them, so they use an AOT cache, which
 * the first one creates; it requires a class path of jars.
 */
final class Victim {
  static final int NEVER = 1_000_000;
  private static final Duration LIMIT = Duration.ofMinutes(3);

  private final Path cache;
  private final String classPath;

  /**
   * @param folder for what they share, owned by the caller
   */
  Victim(Path folder) {
    this.cache = folder.resolve("cache.aot");
    List<String> jars = new ArrayList<>();
    for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
      if (Files.isDirectory(Path.of(entry)) && !entry.isEmpty()) {
        jars.add(jar(entry, folder.resolve(jars.size() + ".jar")));
      } else {
        jars.add(entry);
      }
    }
    this.classPath = String.join(File.pathSeparator, jars);
    try (Host host = Host.open();
        TestNode node = new TestNode(folder.resolve("node"), host)) {
      node.network("10-blue.conflist", PodLifeTest.BRIDGE);
      start(node, "-XX:AOTCacheOutput=" + cache, "none", NEVER, "run", "first").run();
    }
  }

  private static String jar(String directory, Path file) {
    Command.of(tool("jar"), "--create", "--file", file.toString(), "-C", directory, ".")
        .limit(LIMIT)
        .run();
    return file.toString();
  }

  private static String tool(String name) {
    return Path.of(System.getProperty("java.home"), "bin", name).toString();
  }

  /** Runs an operation that dies at that point. */
  Output run(TestNode node, String infra, int point, String... what) {
    return start(node, "-XX:AOTCache=" + cache, infra, point, what).attempt();
  }

  private Command start(TestNode node, String option, String infra, int point, String... what) {
    List<String> argv =
        new ArrayList<>(
            List.of(
                tool("java"),
                option,
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                classPath,
                KillMain.class.getName(),
                node.folder().toString(),
                infra,
                Integer.toString(point)));
    argv.addAll(List.of(what));
    return node.host().command(argv.toArray(String[]::new)).limit(LIMIT);
  }
}
