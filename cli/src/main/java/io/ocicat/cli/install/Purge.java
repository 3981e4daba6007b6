package io.ocicat.cli.install;

import io.ocicat.daemon.state.DaemonState;
import io.ocicat.daemon.state.StateFolders;
import io.ocicat.netlink.linux.FileLock;
import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Deletes the data of ocicatd, pods and the embedded datastore. Deletes only files that are known
 * to be ours, so that a folder that others use as well keeps their files.
 *
 * @param dryRun whether to report only
 */
record Purge(StateFolders folders, boolean dryRun, InstallOutput output) {
  private static final List<String> OF_STATE = List.of("attachments", "pods", "installed.json");
  private static final String DATASTORE = "datastore.";
  private static final List<String> OF_RUN =
      List.of(
          "journal",
          "spool",
          "pods",
          "ocicatd.sock",
          "ocicatd.lock",
          "info.sock",
          "attachments.lock",
          "shutting-down");

  /** Fails when something that is running needs the files. */
  void check(DaemonState state) {
    int attached = state.attachments().names().size();
    if (attached > 0) {
      throw new InstallException(
          "--purge would forget %d attachments (%s): stop the containers first"
              .formatted(attached, folders.state().resolve("attachments")));
    }
    if (!state.journal().names().isEmpty() || !state.spool().names().isEmpty()) {
      throw new InstallException(
          "--purge would forget calls that are not finished (%s): start ocicatd once, which finishes them"
              .formatted(folders.run()));
    }
    if (hasFiles(folders.state().resolve("pods/records"))) {
      throw new InstallException(
          "--purge would forget pods that are there: `ocicat pod rm --all` removes them");
    }
    if (daemonRuns()) {
      throw new InstallException(
          "ocicatd runs, and --purge would take its files away: systemctl disable --now ocicat.socket ocicat.service, or end it");
    }
  }

  private boolean daemonRuns() {
    if (Files.notExists(folders.daemonLock())) {
      return false;
    }
    Optional<FileLock> free = FileLock.tryAcquire(folders.daemonLock(), FileLock.Mode.EXCLUSIVE);
    free.ifPresent(FileLock::close);
    return free.isEmpty();
  }

  private static boolean hasFiles(Path folder) {
    if (!Files.isDirectory(folder)) {
      return false;
    }
    try (Stream<Path> files = Files.walk(folder)) {
      return files.anyMatch(Files::isRegularFile);
    } catch (IOException e) {
      throw InstallException.of("read", folder, e);
    }
  }

  void carryOut() {
    remove(folders.run(), OF_RUN);
    remove(folders.state(), OF_STATE);
  }

  private void remove(Path folder, List<String> names) {
    if (!Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)) {
      return;
    }
    try {
      if (!dryRun) {
        for (Path entry : entries(folder)) {
          String name = entry.getFileName().toString();
          if (names.contains(name) || name.startsWith(DATASTORE)) {
            removeTree(entry);
          }
        }
        Files.delete(folder);
      }
      output.report("removed", folder.toString(), "");
    } catch (DirectoryNotEmptyException _) {
      output.report("left", folder.toString(), "where there is something that is not ours");
    } catch (IOException e) {
      throw InstallException.of("remove", folder, e);
    }
  }

  private static List<Path> entries(Path folder) throws IOException {
    try (Stream<Path> entries = Files.list(folder)) {
      return entries.toList();
    }
  }

  private static void removeTree(Path tree) throws IOException {
    try (Stream<Path> files = Files.walk(tree)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }
}
