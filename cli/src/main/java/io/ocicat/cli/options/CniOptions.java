package io.ocicat.cli.options;

import io.ocicat.cni.exec.PluginPath;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Options of the commands that act as a runtime; each overrides the variable of the same meaning,
 * which cnitool reads as well.
 */
public final class CniOptions {
  @Option(
      names = "--conf-dir",
      paramLabel = "DIR",
      description =
          "Where networks are configured (default: NETCONFPATH, else " + ConfDirOption.USUAL + ").")
  private @Nullable Path confDirectory;

  @Option(
      names = "--cni-path",
      paramLabel = "DIRS",
      description =
          "Where plugins are, separated by colons (default: CNI_PATH, else the distribution's"
              + " own).")
  private @Nullable String cniPath;

  @Mixin private CacheDirOption cache = new CacheDirOption();

  /**
   * The directory of network configurations.
   *
   * @param variable the value of a variable that is set and not empty
   */
  public Path confDirectory(Function<String, Optional<String>> variable) {
    return confDirectory != null
        ? confDirectory
        : Path.of(variable.apply("NETCONFPATH").orElse(ConfDirOption.USUAL));
  }

  /**
   * The directories of plugins; empty when neither option nor variable names them, and this is not
   * a distribution.
   *
   * @param variable the value of a variable that is set and not empty
   * @param ownPlugins the plugins of this distribution, if it is one
   */
  public Optional<PluginPath> pluginPath(
      Function<String, Optional<String>> variable, Optional<Path> ownPlugins) {
    return Optional.ofNullable(cniPath)
        .or(() -> variable.apply("CNI_PATH"))
        .map(PluginPath::parse)
        .or(() -> ownPlugins.map(PluginPath::of));
  }

  public Path cacheDirectory() {
    return cache.directory();
  }
}
