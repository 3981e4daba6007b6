package io.ocicat.cni.runtime;

import java.nio.file.Path;

/**
 * Why a file of a configuration directory, or a part of it, cannot be used.
 *
 * @param position line and column, as in {@code 3:7}; empty when it has no particular place
 * @param path of the field, such as {@code plugins[1].type}; empty when it is about the whole file
 * @param reason continues the path: {@code must be a string, not 5}
 */
public record ConfProblem(Path file, String position, String path, String reason) {
  ConfProblem(Path file, String path, String reason) {
    this(file, "", path, reason);
  }

  @Override
  public String toString() {
    return file
        + (position.isEmpty() ? "" : ":" + position)
        + ": "
        + (path.isEmpty() ? "" : path + " ")
        + reason;
  }
}
