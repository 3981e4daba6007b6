package io.ocicat.cli.install;

import io.ocicat.daemon.call.PluginExecutables;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The executables that take over from our plugins: those in a given directory, else those that
 * install has kept aside, else those that a runtime already finds in its CNI_PATH.
 *
 * @param directory null when none was given
 */
record SuccessorPlugins(
    @Nullable Path directory, InstallManifest manifest, PluginExecutables ours) {

  /** The executable of a plugin for an attachment that was made with this CNI_PATH. */
  Optional<Path> find(String plugin, String cniPath) {
    if (directory != null) {
      return usable(directory.resolve(plugin));
    }
    return directories(cniPath)
        .flatMap(folder -> standIns(folder.resolve(plugin)).stream())
        .flatMap(candidate -> usable(candidate).stream())
        .findFirst();
  }

  /** Where an executable finds others that it calls, IPAM for instance. */
  String cniPath(String recorded) {
    return directory == null ? recorded : directory.toString();
  }

  private static Stream<Path> directories(String cniPath) {
    return Arrays.stream(cniPath.split(File.pathSeparator, -1))
        .filter(text -> text.startsWith(File.separator))
        .map(Path::of);
  }

  private List<Path> standIns(Path path) {
    for (InstallManifest.Entry entry : manifest.entries()) {
      InstallManifest.@Nullable Kept kept = entry.kept();
      if (entry.path().equals(path) && kept != null) {
        return List.of(kept.path(), path);
      }
    }
    return List.of(path);
  }

  private Optional<Path> usable(Path file) {
    boolean isOurs =
        ours.find(file).isPresent()
            || manifest.entries().stream()
                .anyMatch(
                    entry ->
                        entry.path().equals(file)
                            && Fingerprint.of(file).filter(entry.ours()::contains).isPresent());
    return Files.isRegularFile(file) && Files.isExecutable(file) && !isOurs
        ? Optional.of(file)
        : Optional.empty();
  }
}
