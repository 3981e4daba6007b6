package io.ocicat.interop;

import io.ocicat.cli.Ocicat;
import io.ocicat.plugins.Plugins;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Directories of plugin executables, as a runtime is given them. */
final class PluginDirectory {
  /** The originals. */
  static final Path GO = Path.of("/usr/lib/cni");

  /** What podman's networks are made of. */
  private static final List<String> NEEDED =
      List.of("bridge", "host-local", "portmap", "firewall", "tuning");

  private static final List<String> JVM_OPTIONS =
      List.of(
          "-XX:+UseSerialGC",
          "-XX:TieredStopAtLevel=1",
          "--enable-native-access=ALL-UNNAMED",
          "-Xlog:disable",
          "-Xlog:all=warning:stderr",
          "-XX:+AutoCreateSharedArchive");

  private PluginDirectory() {}

  /**
   * An executable for each of our plugins, as the distribution has them; those that we have not
   * lead to the originals.
   *
   * @param home where the distribution would be
   */
  static Path ours(Path home) throws IOException {
    Path directory = Files.createDirectories(home.resolve("cni"));
    for (String name : NEEDED) {
      script(directory.resolve(name), "exec '%s' \"$@\"".formatted(GO.resolve(name)));
    }
    for (String name : Plugins.names()) {
      script(directory.resolve(name), jvm(home, name));
    }
    return directory;
  }

  private static void script(Path file, String command) throws IOException {
    Files.writeString(file, "#!/bin/sh\n" + command + "\n");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  /** The first call leaves an archive of classes, with which the others start in half the time. */
  private static String jvm(Path home, String name) {
    List<String> words = new ArrayList<>();
    words.add("exec '%s/bin/java'".formatted(System.getProperty("java.home")));
    words.addAll(JVM_OPTIONS);
    words.add("-XX:SharedArchiveFile='%s/classes.jsa'".formatted(home));
    words.add("-Docicat.home='%s'".formatted(home));
    words.add("-cp '%s'".formatted(productClassPath()));
    words.add(Ocicat.class.getName());
    words.add("plugin " + name);
    return String.join(" ", words);
  }

  /** Without the tests, which are in directories: an archive knows jars only. */
  private static String productClassPath() {
    return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator, -1))
        .filter(entry -> !entry.endsWith("test-classes"))
        .collect(Collectors.joining(File.pathSeparator));
  }
}
