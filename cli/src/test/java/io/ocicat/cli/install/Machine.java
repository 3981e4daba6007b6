package io.ocicat.cli.install;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine;

/**
 * The directories of a machine to install on, all in one that the test owns, and a distribution.
 */
final class Machine {
  final Path bin;
  final Path conf;
  final Path units;
  final Path home;
  final Map<String, String> environment;
  final StringWriter out = new StringWriter();
  final StringWriter err = new StringWriter();

  Machine(Path root) throws IOException {
    this(root, Map.of());
  }

  Machine(Path root, Map<String, String> more) throws IOException {
    bin = root.resolve("opt/cni/bin");
    conf = root.resolve("etc/cni/net.d");
    units = root.resolve("etc/systemd/system");
    home = root.resolve("home");
    Map<String, String> variables = new HashMap<>(more);
    variables.put("OCICAT_RUN_DIR", root.resolve("run").toString());
    variables.put("OCICAT_STATE_DIR", root.resolve("state").toString());
    environment = Map.copyOf(variables);
    distribute("shim 1");
    Files.createDirectories(home.resolve("systemd"));
    Files.writeString(home.resolve("systemd/ocicat.socket"), "[Socket]\n");
    Files.writeString(
        home.resolve("systemd/ocicat.service"), "ExecStart=@home@/bin/ocicat daemon\n");
    file(home.resolve("bin/ocicat"), "launcher", "rwxr-xr-x");
    Files.createSymbolicLink(home.resolve("lib/also"), Path.of("shim"));
  }

  /** Another version of the shim. */
  void distribute(String shim) throws IOException {
    file(home.resolve("lib/shim"), shim, "rwxr-xr-x");
  }

  Path state() {
    return Path.of(environment.get("OCICAT_STATE_DIR"));
  }

  Path plugin(String name) {
    return bin.resolve(name);
  }

  int install(String... options) {
    return run(
        new InstallCommand(environment, Optional.of(home), "1.2.3-abc"),
        Stream.concat(
                Stream.of("--bin-dir", bin.toString(), "--conf-dir", conf.toString()),
                Stream.of(options))
            .toArray(String[]::new));
  }

  int uninstall(String... options) {
    return uninstall(new FirewallTables(Optional.empty()), options);
  }

  int uninstall(FirewallTables tables, String... options) {
    return run(new UninstallCommand(environment, tables, Path.of("/proc/self/ns/net")), options);
  }

  private int run(Callable<Integer> command, String... options) {
    out.getBuffer().setLength(0);
    err.getBuffer().setLength(0);
    return new CommandLine(command)
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err, true))
        .setExecutionExceptionHandler(
            (failure, _, _) -> {
              err.write(String.valueOf(failure.getMessage()));
              return 1;
            })
        .execute(options);
  }

  static void file(Path path, String content, String permissions) throws IOException {
    Files.createDirectories(path.getParent());
    Files.deleteIfExists(path);
    Files.writeString(path, content);
    Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(permissions));
  }
}
