package io.ocicat.daemon;

import io.ocicat.daemon.liveness.CniFolders;
import io.ocicat.plugins.Plugins;
import io.ocicat.testkit.Command;
import io.ocicat.testkit.Host;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;

/**
 * An installation of Ocicat in a test's folder: the shim under the names of all plugins, and a
 * launcher that records each call it makes without a daemon. Everything runs on one host.
 *
 * @param prefix what starts all commands
 */
record Installation(Path folder, Host host, List<String> prefix) {
  private static final List<String> JAVA =
      List.of(
          Path.of(System.getProperty("java.home"), "bin", "java").toString(),
          "-XX:+UseSerialGC",
          "-XX:TieredStopAtLevel=1",
          "-Xmx128m",
          "--enable-native-access=ALL-UNNAMED");

  static Installation in(Path folder, Host host) {
    Installation made = new Installation(folder, host, List.of());
    try {
      Files.createDirectories(made.home().resolve("bin"));
      Files.createDirectories(made.control());
      Files.createDirectories(made.controlAlone());
      copyShim(made.home().resolve("lib/shim"));
      for (String name : Plugins.names()) {
        copyShim(made.executable(name));
      }
      List<String> launch = new ArrayList<>(JAVA);
      launch.add("-Docicat.home=" + made.home());
      launch.add("-Dtest.control=" + made.controlAlone());
      launch.addAll(List.of("-cp", System.getProperty("java.class.path")));
      launch.add(OneShotMain.class.getName());
      made.launcher(
          """
          [ "$1" != daemon ] || exec %s "$@"
          exec %s "$@"
          """
              .formatted(quoted(made.daemonArguments()), quoted(launch)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return made;
  }

  private static String quoted(List<String> argv) {
    return "'" + String.join("' '", argv) + "'";
  }

  private static void copyShim(Path file) throws IOException {
    Files.createDirectories(file.getParent());
    Files.copy(Shim.FILE, file);
  }

  /** The same, with another command starting all its commands. */
  Installation startedBy(String... command) {
    return new Installation(folder, host, List.of(command));
  }

  /** Sets the shell lines that make calls without a daemon. */
  void launcher(String lines) throws IOException {
    Path file = home().resolve("bin/ocicat");
    Path draft = home().resolve("bin/draft");
    Files.writeString(
        draft,
        """
        #!/bin/sh
        echo "$*:$CNI_COMMAND:$CNI_CONTAINERID" >>'%s'
        %s
        """
            .formatted(oneShotNotes(), lines));
    Files.setPosixFilePermissions(draft, PosixFilePermissions.fromString("rwxr-xr-x"));
    Files.move(draft, file, StandardCopyOption.REPLACE_EXISTING);
  }

  /** The calls that were made without a daemon, as {@code plugin <name>:<verb>:<container>}. */
  List<String> oneShots() {
    try {
      return Files.exists(oneShotNotes()) ? Files.readAllLines(oneShotNotes()) : List.of();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Path oneShotNotes() {
    return folder.resolve("one-shots");
  }

  Path home() {
    return folder.resolve("home");
  }

  Path executable(String plugin) {
    return home().resolve("cni").resolve(plugin);
  }

  Path run() {
    return folder.resolve("run");
  }

  Path state() {
    return folder.resolve("state");
  }

  /** A runtime's directories on this host. */
  CniFolders cniFolders() {
    return new CniFolders(folder.resolve("cni-cache"), folder.resolve("cni-conf"));
  }

  Path leases() {
    return folder.resolve("leases");
  }

  /** Of calls without a daemon, whose crash points are not the daemon's. */
  Path controlAlone() {
    return folder.resolve("control-alone");
  }

  Path control() {
    return folder.resolve("control");
  }

  /** How far the daemon's clock is off, from a file. */
  private String years() {
    try {
      Path file = folder.resolve("years");
      return Files.exists(file) ? Files.readString(file) : "0";
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  Path bootId() {
    return folder.resolve("boot_id");
  }

  /** Starts ocicatd and waits until it serves. */
  DaemonProcess startDaemon(String... options) {
    DaemonProcess daemon = launchDaemon(options);
    try {
      return daemon.awaitServing();
    } catch (Throwable e) {
      daemon.close();
      throw e;
    }
  }

  DaemonProcess launchDaemon(String... options) {
    return new DaemonProcess(daemon(options).start());
  }

  Command daemon(String... options) {
    List<String> argv = daemonArguments();
    argv.addAll(List.of(options));
    return command(argv);
  }

  private List<String> daemonArguments() {
    List<String> argv = new ArrayList<>(JAVA);
    // As much memory as it has in the distribution.
    argv.add("@" + Path.of("../dist/src/lib/daemon.args").toAbsolutePath().normalize());
    argv.add("-Docicat.home=" + home());
    argv.add("-Dtest.control=" + control());
    argv.add("-Dtest.years=" + years());
    if (Files.exists(bootId())) {
      argv.add("-Dtest.boot=" + bootId());
    }
    argv.addAll(List.of("-cp", System.getProperty("java.class.path")));
    argv.add(DaemonMain.class.getName());
    return argv;
  }

  /** A call of a plugin by a runtime on the host. */
  Command call(String plugin, String verb, String stdin) {
    return command(List.of(executable(plugin).toString()))
        .env("CNI_COMMAND", verb)
        .env("CNI_PATH", home().resolve("cni").toString())
        .stdin(stdin);
  }

  private Command command(List<String> argv) {
    List<String> prefixed = new ArrayList<>(prefix);
    prefixed.addAll(argv);
    return host.command(prefixed.toArray(String[]::new))
        .env("OCICAT_RUN_DIR", run().toString())
        .env("OCICAT_STATE_DIR", state().toString())
        .env("OCICAT_CNI_CACHE_DIR", cniFolders().cache().toString())
        .env("OCICAT_CNI_CONF_DIR", cniFolders().conf().toString());
  }

  /** The same call without a daemon, whether there is one or not. */
  Command callAlone(Command call) {
    List<String> argv = new ArrayList<>(call.argv());
    String plugin = Path.of(argv.removeLast()).getFileName().toString();
    argv.addAll(List.of(home().resolve("bin/ocicat").toString(), "plugin", plugin));
    return new Command(argv, call.environment(), call.directory(), call.stdin(), call.limit());
  }

  /** The records in one of the folders: journal, spool or attachments. */
  List<String> records(String kind) {
    Path records = (kind.equals("attachments") ? state() : run()).resolve(kind);
    if (Files.notExists(records)) {
      return List.of();
    }
    try (var files = Files.list(records)) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
