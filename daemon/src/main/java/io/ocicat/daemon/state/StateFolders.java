package io.ocicat.daemon.state;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The directories in which our processes keep their files.
 *
 * @param run lasts until the next boot: socket, journal, spool, locks
 * @param state permanent: the attachments
 */
public record StateFolders(Path run, Path state) {
  private static final Set<PosixFilePermission> OWNER_ONLY =
      PosixFilePermissions.fromString("rwx------");

  private static final Object ROOT = 0;

  /** The directories that the variables name, or the usual ones. */
  public static StateFolders of(Map<String, String> environment) {
    return new StateFolders(
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

  /** The socket that reports what the daemon does; changes nothing. */
  public Path infoSocket() {
    return run.resolve("info.sock");
  }

  /** Held by the daemon as long as it lives. */
  public Path daemonLock() {
    return run.resolve("ocicatd.lock");
  }

  /** Exists while the first call of an idle machine starts a daemon, until that serves. */
  public Path startingMark() {
    return run.resolve("starting");
  }

  /** Exists while the running daemon is one that was started by a call and exits by itself. */
  public Path onDemandMark() {
    return run.resolve("on-demand");
  }

  /** Made by whatever stops the daemon because the machine goes down. */
  public Path shutdownMark() {
    return run.resolve("shutting-down");
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

  /** Whether a daemon has run here since boot. */
  public boolean inUse() {
    return Files.isDirectory(journal());
  }

  /**
   * Creates what is missing, for the owner alone. What exists must be ours: in a directory of
   * another user, our files could be replaced.
   */
  public void create() {
    if (Files.isSymbolicLink(run)) {
      throw new UncheckedIOException(
          new IOException(
              "the run directory %s is a symbolic link; name the directory itself".formatted(run)));
    }
    for (Path folder : new Path[] {run, state, journal(), spool(), attachments()}) {
      makePrivate(folder);
    }
  }

  /**
   * Why a process without a daemon must not use these directories, without changing anything:
   * another user could have replaced our files.
   *
   * @return empty when all of it is ours alone
   */
  public Optional<String> weakness() {
    for (Path folder : new Path[] {run, journal(), spool(), state, attachments()}) {
      Optional<String> weakness = weakness(folder);
      if (weakness.isPresent()) {
        return weakness;
      }
    }
    return Optional.empty();
  }

  private static Optional<String> weakness(Path folder) {
    try {
      if (Files.notExists(folder, LinkOption.NOFOLLOW_LINKS)) {
        return Optional.empty();
      }
      if (!Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)) {
        return Optional.of("%s is a link or no directory".formatted(folder));
      }
      requireOwn(folder);
      Set<PosixFilePermission> modes = Files.getPosixFilePermissions(folder);
      return modes.contains(PosixFilePermission.GROUP_WRITE)
              || modes.contains(PosixFilePermission.OTHERS_WRITE)
          ? Optional.of("others may write to %s; run chmod 700 on it".formatted(folder))
          : Optional.empty();
    } catch (IOException e) {
      return Optional.of("%s cannot be used: %s".formatted(folder, e.getMessage()));
    }
  }

  private static void makePrivate(Path folder) {
    try {
      Files.createDirectories(folder.getParent());
      if (!Files.isDirectory(folder)) {
        Files.createDirectory(folder, PosixFilePermissions.asFileAttribute(OWNER_ONLY));
      }
      requireOwn(folder);
      // On a read-only file system even setting the permissions it already has fails.
      if (!Files.getPosixFilePermissions(folder).equals(OWNER_ONLY)) {
        Files.setPosixFilePermissions(folder, OWNER_ONLY);
      }
    } catch (FileAlreadyExistsException e) {
      throw new UncheckedIOException(
          "cannot create the directory %s: it is not a directory".formatted(folder), e);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot create the directory %s: %s".formatted(folder, e), e);
    }
  }

  private static void requireOwn(Path folder) throws IOException {
    Object owner = Files.getAttribute(folder, "unix:uid");
    Object self = Files.getAttribute(Path.of("/proc/self"), "unix:uid");
    requireOwn(folder, owner, self);
  }

  /** What belongs to root stays root's: other users are told to become root. */
  static void requireOwn(Path folder, Object owner, Object self) throws IOException {
    if (owner.equals(self)) {
      return;
    }
    if (owner.equals(ROOT)) {
      throw new AccessDeniedException(folder.toString());
    }
    throw new IOException(
        self.equals(ROOT)
            ? "it belongs to uid %s, not to %s; remove it or change its owner"
                .formatted(owner, self)
            : "it belongs to uid %s, not to %s; name one of your own by OCICAT_RUN_DIR and OCICAT_STATE_DIR"
                .formatted(owner, self));
  }
}
