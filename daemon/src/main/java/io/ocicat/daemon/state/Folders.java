package io.ocicat.daemon.state;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;

/**
 * Where things are kept.
 *
 * @param run gone with the machine's next start: socket, journal, spool, locks
 * @param state kept: which attachments there are
 */
public record Folders(Path run, Path state) {
  /** Those that the variables name, or the usual ones. */
  public static Folders of(Map<String, String> environment) {
    return new Folders(
        folder(environment, "OCICAT_RUN_DIR", "/run/ocicat"),
        folder(environment, "OCICAT_STATE_DIR", "/var/lib/ocicat"));
  }

  private static Path folder(Map<String, String> environment, String variable, String usual) {
    String value = environment.getOrDefault(variable, "");
    return Path.of(value.isEmpty() ? usual : value).toAbsolutePath();
  }

  public Path socket() {
    return run.resolve("ocicatd.sock");
  }

  /** Tells what the daemon does; changes nothing. */
  public Path infoSocket() {
    return run.resolve("info.sock");
  }

  /** Held by the daemon as long as it lives. */
  public Path daemonLock() {
    return run.resolve("ocicatd.lock");
  }

  Path attachmentLocks() {
    return run.resolve("attachments.lock");
  }

  Path journal() {
    return run.resolve("journal");
  }

  Path spool() {
    return run.resolve("spool");
  }

  Path attachments() {
    return state.resolve("attachments");
  }

  /** Whether a daemon has been here since the machine was started. */
  public boolean inUse() {
    return Files.isDirectory(journal());
  }

  /** Makes what is missing, for the owner alone. */
  public void create() {
    for (Path folder : new Path[] {run, state, journal(), spool(), attachments()}) {
      makePrivate(folder);
    }
  }

  private static void makePrivate(Path folder) {
    try {
      Files.createDirectories(folder.getParent());
      if (!Files.isDirectory(folder)) {
        Files.createDirectory(
            folder,
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
      }
      Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx------"));
    } catch (IOException e) {
      throw new UncheckedIOException("cannot make the directory " + folder, e);
    }
  }
}
