package io.ocicat.bench;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ocicat.netlink.ns.NamedNetNs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * A host and some pods, as namespaces of the benchmark, and a folder for all that daemon and
 * plugins write. cnicall.c makes the calls. Removed when closed.
 */
final class BenchHost implements AutoCloseable {
  static final String GO = "/usr/lib/cni";

  private final Path cnicall;
  private final Path home;
  private final Path folder;
  private final String host;
  private final List<String> names = new ArrayList<>();
  private final Map<String, String> variables =
      new LinkedHashMap<>(Map.of("OCICAT_ON_DEMAND", "0"));

  private BenchHost(Path cnicall, Path home, Path folder, String host) {
    this.cnicall = cnicall;
    this.home = home;
    this.folder = folder;
    this.host = host;
  }

  /**
   * @param home the distribution
   * @param host the name of the host's namespace; the pods' names add numbers
   */
  static BenchHost create(Path cnicall, Path home, String host, int pods) throws IOException {
    BenchHost made =
        new BenchHost(
            cnicall, home, Files.createTempDirectory(Path.of("/dev/shm"), "ocicat-bench-"), host);
    try {
      for (int i = -1; i < pods; i++) {
        String name = i < 0 ? host : host + i;
        NamedNetNs.standard().create(name).close();
        made.names.add(name);
      }
      return made;
    } catch (RuntimeException e) {
      made.close();
      throw e;
    }
  }

  Path home() {
    return home;
  }

  Path folder() {
    return folder;
  }

  /** A contender in cnicall's syntax. */
  String contender(String name, String directory, String conf, String type) {
    return "%s=%s:%s:%s".formatted(name, directory, folder.resolve(conf + ".conf"), type);
  }

  void config(String name, String content) throws IOException {
    Files.writeString(folder.resolve(name + ".conf"), content);
  }

  /** A command that finds the folder's daemon. */
  ProcessBuilder command(String... command) {
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
    builder.environment().put("OCICAT_RUN_DIR", folder.resolve("run").toString());
    builder.environment().put("OCICAT_STATE_DIR", folder.resolve("state").toString());
    builder.environment().putAll(variables);
    return builder;
  }

  /** Sets a variable for all commands from now on. By default no daemon is started on demand. */
  void set(String variable, String value) {
    variables.put(variable, value);
  }

  String host() {
    return host;
  }

  /** Makes calls, and sorts their times by contender and verb, as in {@code ours add}. */
  Map<String, Sample> call(String mode, int count, int rounds, String... contenders)
      throws IOException, InterruptedException {
    Map<String, Sample> samples = new LinkedHashMap<>();
    for (String line : lines(mode, count, rounds, contenders)) {
      String[] words = line.split(" ", -1);
      samples
          .computeIfAbsent(words[0] + " " + words[1], Sample::new)
          .add((long) (Double.parseDouble(words[2]) * 1e6));
    }
    return samples;
  }

  /** Lets clients ADD and DEL without pause; returns cycles per second by contender. */
  Map<String, Double> loop(int clients, int seconds, String... contenders)
      throws IOException, InterruptedException {
    Map<String, Double> cycles = new LinkedHashMap<>();
    for (String line : lines("loop", clients, seconds, contenders)) {
      String[] words = line.split(" ", -1);
      cycles.put(words[0], Double.parseDouble(words[2]));
    }
    return cycles;
  }

  private List<String> lines(String mode, int count, int rounds, String... contenders)
      throws IOException, InterruptedException {
    List<String> command =
        new ArrayList<>(
            List.of(
                "nsenter",
                "--net=/run/netns/" + host,
                cnicall.toString(),
                mode,
                Integer.toString(count),
                Integer.toString(rounds),
                host));
    command.addAll(List.of(contenders));
    Process process = command(command.toArray(String[]::new)).start();
    String out = new String(process.getInputStream().readAllBytes(), UTF_8);
    if (process.waitFor() != 0) {
      throw new IOException("cnicall %s: some calls failed, see above".formatted(mode));
    }
    return out.lines().toList();
  }

  @Override
  public void close() throws IOException {
    names.forEach(NamedNetNs.standard()::remove);
    try (Stream<Path> tree = Files.walk(folder)) {
      tree.sorted(Comparator.reverseOrder()).forEach(path -> path.toFile().delete());
    }
  }
}
