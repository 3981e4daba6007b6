package io.ocicat.cli.options;

import java.nio.file.Path;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The directories of a runtime's networks and its cache, for commands that inspect it. */
public final class RuntimeDirOptions {
  @Option(
      names = "--conf-dir",
      paramLabel = "DIR",
      description =
          "Where networks are configured (default: NETCONFPATH, else " + ConfDirOption.USUAL + ").")
  private @Nullable Path confDirectory;

  @Mixin private CacheDirOption cache = new CacheDirOption();

  public Path confDirectory(NodeContext context) {
    return confDirectory(name -> context.variable(name).orElse(null));
  }

  /**
   * The directory of network configurations.
   *
   * @param variable the value of a variable; null when there is none
   */
  public Path confDirectory(Function<String, @Nullable String> variable) {
    if (confDirectory != null) {
      return confDirectory;
    }
    String set = variable.apply("NETCONFPATH");
    return Path.of(set == null || set.isEmpty() ? ConfDirOption.USUAL : set);
  }

  public Path cacheDirectory() {
    return cache.directory();
  }
}
