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
 * Where things are kept.
 *
 * @param run gone with the machine's next start: socket, journal, spool, locks
 * @param state kept: which attachments there are
 */
public record StateFolders(Path run, Path state) {
  private static final Set<PosixFilePermission> OWNER_ONLY =
      PosixFilePermissions.fromString("rwx------");

  private static final Object ROOT = 0;

  /** Those that the variables name, or the usual ones. */
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

  /** Tells what the daemon does; changes nothing. */
  public Path infoSocket() {
    return run.resolve("info.sock");
  }

  /** Held by the daemon as long as it lives. */
  public Path daemonLock() {
    return run.resolve("ocicatd.lock");
  }

  /** There while the first call of an idle machine starts a daemon, until that serves. */
  public Path startingMark() {
    return run.resolve("starting");
  }

  /** There as long as the daemon that runs was started by a call, and ends by itself. */
  public Path onDemandMark() {
    return run.resolve("on-demand");
  }

  /** Made by whoever stops the daemon because the machine goes down. */
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

  /** Whether a daemon has been here since the machine was started. */
  public boolean inUse() {
    return Files.isDirectory(journal());
  }

  /**
   * Makes what is missing, for the owner alone. What is there must be ours: in a directory of
   * somebody else's, files could be put in the place of our own.
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
   * What keeps a process without a daemon from using what is there, changing nothing: others could
   * have put files in the place of ours.
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
      // On a file system that is read-only even setting what is set already fails.
      if (!Files.getPosixFilePermissions(folder).equals(OWNER_ONLY)) {
        Files.setPosixFilePermissions(folder, OWNER_ONLY);
      }
    } catch (FileAlreadyExistsException e) {
      throw new UncheckedIOException(
          "cannot make the directory %s: it is not a directory".formatted(folder), e);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot make the directory %s: %s".formatted(folder, e), e);
    }
  }

  private static void requireOwn(Path folder) throws IOException {
    Object owner = Files.getAttribute(folder, "unix:uid");
    Object self = Files.getAttribute(Path.of("/proc/self"), "unix:uid");
    requireOwn(folder, owner, self);
  }

  /** What is root's stays root's: whoever is not root is told to be. */
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
