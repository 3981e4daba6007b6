package io.ocicat.cli.install;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * An executable under the name of its plugin, by a link where it has another one. Closing removes
 * the link.
 *
 * @param folder of the link; null where there is none
 */
record OwnName(Path path, @Nullable Path folder) implements AutoCloseable {

  static OwnName of(String plugin, Path executable) {
    if (executable.endsWith(plugin)) {
      return new OwnName(executable, null);
    }
    try {
      Path folder = Files.createTempDirectory("ocicat-hand-over");
      OwnName name = new OwnName(folder.resolve(plugin), folder);
      Files.createSymbolicLink(name.path(), executable.toAbsolutePath());
      return name;
    } catch (IOException e) {
      throw new InstallException(
          "cannot link to %s by the name %s: %s".formatted(executable, plugin, e.getMessage()));
    }
  }

  @Override
  public void close() {
    if (folder == null) {
      return;
    }
    try {
      Files.deleteIfExists(path);
      Files.deleteIfExists(folder);
    } catch (IOException e) {
      throw new InstallException("cannot remove %s: %s".formatted(folder, e.getMessage()));
    }
  }
}
