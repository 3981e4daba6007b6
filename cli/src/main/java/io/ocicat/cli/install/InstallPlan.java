package io.ocicat.cli.install;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The steps that an installation needs, found without changing anything.
 *
 * @param edited files that stay as the user has changed them
 */
record InstallPlan(List<Step> steps, List<String> obstacles, List<Path> edited) {
  static final String KEPT = ".before-ocicat";

  InstallPlan {
    steps = List.copyOf(steps);
    obstacles = List.copyOf(obstacles);
    edited = List.copyOf(edited);
  }

  /** What to do for one item. */
  enum Task {
    /** Nothing is there. */
    PUT,
    /** Ours is there, of another version or with another mode. */
    UPDATE,
    /** A file that is not ours is there and is to be kept aside. */
    REPLACE,
    /** It is there. */
    LEAVE
  }

  record Step(
      InstallItem item, Task task, Fingerprint fingerprint, InstallManifest.@Nullable Kept kept) {}

  static InstallPlan of(List<InstallItem> items, InstallManifest manifest, boolean replace) {
    List<Step> steps = new ArrayList<>();
    List<String> obstacles = new ArrayList<>();
    List<Path> edited = new ArrayList<>();
    for (InstallItem item : items) {
      Path path = item.path();
      Fingerprint wanted = item.fingerprint();
      Optional<Fingerprint> found = Fingerprint.of(path);
      InstallManifest.@Nullable Entry entry = manifest.entry(path).orElse(null);
      InstallManifest.@Nullable Kept kept = entry == null ? null : entry.kept();
      if (found.isEmpty()) {
        steps.add(new Step(item, Task.PUT, wanted, kept));
      } else if (found.get().equals(wanted)) {
        Task task = item.hasItsAttributes() ? Task.LEAVE : Task.UPDATE;
        steps.add(new Step(item, task, wanted, kept));
      } else if (entry != null && entry.ours().contains(found.get())) {
        steps.add(new Step(item, Task.UPDATE, wanted, kept));
      } else if (found.get().isOther()) {
        obstacles.add(path + " is neither a file nor a link");
      } else if (entry != null && item.edited() == InstallItem.Edited.LOST) {
        steps.add(new Step(item, Task.UPDATE, wanted, kept));
      } else if (entry != null && item.edited() == InstallItem.Edited.KEPT && !replace) {
        edited.add(path);
      } else if (!replace) {
        obstacles.add(path + " is somebody else's");
      } else {
        Path aside = path.resolveSibling(path.getFileName() + KEPT);
        if (isFree(aside, path, kept)) {
          InstallManifest.Kept moved = new InstallManifest.Kept(aside, found.get());
          steps.add(new Step(item, Task.REPLACE, wanted, moved));
        } else {
          obstacles.add("%s, where it would be kept, is in use: move it away".formatted(aside));
        }
      }
    }
    return new InstallPlan(steps, obstacles, edited);
  }

  /**
   * Whether we may use it: also when an earlier install put there what it found, or was killed
   * doing so.
   */
  private static boolean isFree(Path aside, Path path, InstallManifest.@Nullable Kept kept) {
    Optional<Fingerprint> there = Fingerprint.of(aside);
    if (there.isEmpty()) {
      return true;
    }
    if (kept != null && kept.path().equals(aside) && kept.fingerprint().equals(there.get())) {
      return true;
    }
    return isSameFile(aside, path);
  }

  static boolean isSameFile(Path one, Path other) {
    try {
      return Files.isSameFile(one, other);
    } catch (IOException _) {
      return false;
    }
  }
}
