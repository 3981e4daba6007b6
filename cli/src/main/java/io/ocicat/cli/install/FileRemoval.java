package io.ocicat.cli.install;

import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Removes the unchanged files that the manifest lists, in reverse order, and restores the files
 * that were kept aside. Does all it can: what fails stays in the manifest.
 *
 * @param dryRun whether to report only
 */
record FileRemoval(InstallManifest manifest, boolean dryRun, InstallOutput output) {

  /** Returns what could not be done. */
  List<String> carryOut() {
    List<String> failures = new ArrayList<>();
    for (InstallManifest.Entry entry : List.copyOf(manifest.entries()).reversed()) {
      try {
        remove(entry);
        manifest.forget(entry.path());
      } catch (IOException e) {
        failures.add(String.valueOf(InstallException.of("remove", entry.path(), e).getMessage()));
      } catch (InstallException e) {
        failures.add(String.valueOf(e.getMessage()));
      }
    }
    if (!dryRun) {
      manifest.directories().reversed().forEach(directory -> remove(directory, failures));
    }
    return failures;
  }

  private void remove(InstallManifest.Entry entry) throws IOException {
    Path path = entry.path();
    if (!dryRun) {
      new InstallItem(path, new InstallItem.Content.Link(path)).unstage();
    }
    Optional<Fingerprint> found = Fingerprint.of(path);
    InstallManifest.@Nullable Kept kept = entry.kept();
    boolean waits = kept != null && Fingerprint.of(kept.path()).isPresent();
    boolean isOurs = found.isPresent() && entry.ours().contains(found.get());
    if (kept != null && waits && (isOurs || found.isEmpty())) {
      output.report("put back", path.toString(), "as it was before");
      if (!dryRun) {
        Files.move(kept.path(), path, StandardCopyOption.ATOMIC_MOVE);
      }
    } else if (isOurs) {
      output.report("removed", path.toString(), "");
      if (!dryRun) {
        Files.delete(path);
      }
    } else if (found.isPresent()) {
      leave(path, kept, waits);
    }
  }

  /** An install that was killed may have given someone else's file a second name, no more. */
  private void leave(Path path, InstallManifest.@Nullable Kept kept, boolean waits)
      throws IOException {
    if (kept == null || !waits) {
      output.report("left", path.toString(), "which is not as it was put there");
    } else if (InstallPlan.isSameFile(path, kept.path())) {
      output.report("left", path.toString(), "which was never replaced");
      if (!dryRun) {
        Files.delete(kept.path());
      }
    } else {
      output.report(
          "left", path.toString(), "which is not as it was put there, and " + kept.path());
    }
  }

  private void remove(Path directory, List<String> failures) {
    try {
      Files.deleteIfExists(directory);
      manifest.forgetDirectory(directory);
    } catch (DirectoryNotEmptyException _) {
      output.report("left", directory.toString(), "where there is something that is not ours");
      manifest.forgetDirectory(directory);
    } catch (IOException e) {
      failures.add(String.valueOf(InstallException.of("remove", directory, e).getMessage()));
    }
  }
}
