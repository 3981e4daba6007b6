package io.ocicat.interop;

import io.ocicat.cli.Ocicat;
import io.ocicat.plugins.Plugins;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Directories of plugin executables, as a runtime is given them. */
final class PluginDirectory {
  /** The originals. */
  static final Path GO = Path.of("/usr/lib/cni");

  private PluginDirectory() {}

  /** An executable for each of our plugins, as the distribution has them. */
  static Path ours(Path home) throws IOException {
    Path directory = Files.createDirectories(home.resolve("cni"));
    for (String name : Plugins.names()) {
      Path plugin = directory.resolve(name);
      Files.writeString(plugin, script(name));
      Files.setPosixFilePermissions(plugin, PosixFilePermissions.fromString("rwxr-xr-x"));
    }
    return directory;
  }

  private static String script(String name) {
    return """
        #!/bin/sh
        exec '%s/bin/java' -XX:+UseSerialGC -XX:TieredStopAtLevel=1 --enable-native-access=ALL-UNNAMED \\
          -Xlog:disable -Xlog:all=warning:stderr -cp '%s' %s plugin %s
        """
        .formatted(
            System.getProperty("java.home"), productClassPath(), Ocicat.class.getName(), name);
  }

  private static String productClassPath() {
    return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator, -1))
        .filter(entry -> !entry.endsWith("test-classes"))
        .collect(Collectors.joining(File.pathSeparator));
  }
}
