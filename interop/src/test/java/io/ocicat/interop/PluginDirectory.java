package io.ocicat.interop;

import io.ocicat.cli.Ocicat;
import io.ocicat.plugins.Plugins;
import io.ocicat.testkit.Command;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Creates directories of plugin executables for runtimes. */
final class PluginDirectory {
  /** The Go plugins. */
  static final Path GO = Path.of("/usr/lib/cni");

  private static final Set<PosixFilePermission> EXECUTABLE =
      PosixFilePermissions.fromString("rwxr-xr-x");

  private PluginDirectory() {}

  /** An executable for each of our plugins, as the distribution has them. */
  static Path ours(Path home) throws IOException {
    Path directory = Files.createDirectories(home.resolve("cni"));
    for (String name : Plugins.names()) {
      Path plugin = directory.resolve(name);
      Files.writeString(plugin, script(name));
      Files.setPosixFilePermissions(plugin, EXECUTABLE);
    }
    return directory;
  }

  /**
   * A distribution's folder with the shim under the name of each plugin, and a launcher for the
   * daemon and for calls without one.
   */
  static Path withShims(Path home) throws IOException {
    Path folder = home.resolve("distribution");
    Path shim = Files.createDirectories(folder.resolve("lib")).resolve("shim");
    Command.of("../daemon/src/main/c/build", shim.toString()).run();
    Path plugins = Files.createDirectories(folder.resolve("cni"));
    for (String name : Plugins.names()) {
      Files.copy(shim, plugins.resolve(name));
      Files.setPosixFilePermissions(plugins.resolve(name), EXECUTABLE);
    }
    Path launcher = Files.createDirectories(folder.resolve("bin")).resolve("ocicat");
    Files.writeString(launcher, command("-Docicat.home='%s'".formatted(folder)) + " \"$@\"\n");
    Files.setPosixFilePermissions(launcher, EXECUTABLE);
    return folder;
  }

  private static String script(String name) {
    return command("") + " plugin %s\n".formatted(name);
  }

  private static String command(String options) {
    return """
        #!/bin/sh
        exec '%s/bin/java' -XX:+UseSerialGC -XX:TieredStopAtLevel=1 --enable-native-access=ALL-UNNAMED \\
          -Xlog:disable -Xlog:all=warning:stderr %s -cp '%s' %s"""
        .formatted(
            System.getProperty("java.home"), options, productClassPath(), Ocicat.class.getName());
  }

  private static String productClassPath() {
    return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator, -1))
        .filter(entry -> !entry.endsWith("test-classes"))
        .collect(Collectors.joining(File.pathSeparator));
  }
}
