package io.ocicat.cni.exec;

import io.ocicat.base.Quoted;
import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.FailureReason;
import io.ocicat.cni.PluginType;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** The directories that are searched for plugins, in order: CNI_PATH. */
public record PluginPath(List<Path> directories) {
  public PluginPath {
    directories = List.copyOf(directories);
  }

  public static PluginPath of(Path... directories) {
    return new PluginPath(List.of(directories));
  }

  /**
   * Splits CNI_PATH. Empty elements are skipped: to Go they mean the current directory, from which
   * nobody wants to execute.
   *
   * @throws CniException with code 4 for an invalid path
   */
  public static PluginPath parse(String text) {
    try {
      List<Path> directories = new ArrayList<>();
      for (String element : text.split(File.pathSeparator, -1)) {
        if (!element.isEmpty()) {
          directories.add(Path.of(element));
        }
      }
      return new PluginPath(directories);
    } catch (InvalidPathException e) {
      throw new CniException(
          ErrorCode.INVALID_ENVIRONMENT,
          "CNI_PATH has an element that is no path: " + Quoted.brief(e.getInput()));
    }
  }

  /**
   * Finds the executable of a plugin: the first regular file of its name, following links. Whether
   * it may be executed shows when it is.
   *
   * @throws CniException with code 7 when there is none or the type is invalid, 4 when the path is
   *     empty
   */
  public Path find(PluginType type) {
    if (directories.isEmpty()) {
      throw new CniException(
          ErrorCode.INVALID_ENVIRONMENT,
          "no paths provided",
          "no directory to look for plugin %s: set CNI_PATH".formatted(Quoted.of(type.value())));
    }
    for (Path directory : directories) {
      Path executable = directory.resolve(type.value());
      if (Files.isRegularFile(executable)) {
        return executable;
      }
    }
    throw new CniException(
            ErrorCode.INVALID_NETWORK_CONFIG,
            "failed to find plugin %s in path %s".formatted(Quoted.of(type.value()), describe()))
        .because(FailureReason.PLUGIN_MISSING);
  }

  /** In the format in which Go prints a list. */
  private String describe() {
    return directories.stream().map(Path::toString).collect(Collectors.joining(" ", "[", "]"));
  }

  /** In the format of CNI_PATH. */
  @Override
  public String toString() {
    return directories.stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator));
  }
}
