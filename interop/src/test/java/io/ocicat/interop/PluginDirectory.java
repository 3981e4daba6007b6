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

  private static final String ONE_CALL = "io.ocicat.cli.PluginProcess";

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
    Files.writeString(launcher, launcher(java("-Docicat.home='%s'".formatted(folder))));
    Files.setPosixFilePermissions(launcher, EXECUTABLE);
    return folder;
  }

  private static String script(String name) {
    return "#!/bin/sh\nexec %s %s %s\n".formatted(java(""), ONE_CALL, name);
  }

  /** Like the distribution's, it makes a call without building the command line's model. */
  private static String launcher(String java) {
    return """
        #!/bin/sh
        if [ $# -eq 2 ] && [ "$1" = plugin ] && [ "${2#-}" = "$2" ]; then
          exec %s %s "$2"
        fi
        exec %s %s "$@"
        """
        .formatted(java, ONE_CALL, java, Ocicat.class.getName());
  }

  private static String java(String options) {
    return """
        '%s/bin/java' -XX:+UseSerialGC -XX:TieredStopAtLevel=1 --enable-native-access=ALL-UNNAMED \\
          -Xlog:disable -Xlog:all=warning:stderr %s -cp '%s'"""
        .formatted(System.getProperty("java.home"), options, productClassPath());
  }

  private static String productClassPath() {
    return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator, -1))
        .filter(entry -> !entry.endsWith("test-classes"))
        .collect(Collectors.joining(File.pathSeparator));
  }
}
