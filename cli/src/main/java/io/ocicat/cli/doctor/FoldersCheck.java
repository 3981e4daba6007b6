package io.ocicat.cli.doctor;

import io.ocicat.daemon.state.StateFolders;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Checks the directories and sockets of the daemon. */
record FoldersCheck(StateFolders folders) implements DoctorCheck {
  private static final String FOLDER = "rwx------";
  private static final String SOCKET = "rw-------";

  /** Enough for journal and attachments of some hundred calls. */
  private static final long LEAST_FREE = 16 << 20;

  @Override
  public String name() {
    return "folders";
  }

  @Override
  public List<DoctorFinding> run() {
    List<DoctorFinding> findings = new ArrayList<>();
    for (Path folder : List.of(folders.run(), folders.state())) {
      if (Files.isDirectory(folder)) {
        run(folder, FOLDER, findings);
        disk(folder, findings);
        try (Stream<Path> inside = Files.list(folder)) {
          inside.filter(Files::isDirectory).forEach(path -> run(path, FOLDER, findings));
        } catch (IOException e) {
          findings.add(unreadable(folder, e));
        }
      }
    }
    for (Path socket : List.of(folders.socket(), folders.infoSocket())) {
      if (Files.exists(socket)) {
        run(socket, SOCKET, findings);
      }
    }
    return findings;
  }

  private static void run(Path path, String mode, List<DoctorFinding> findings) {
    try {
      String present = PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
      if (!present.equals(mode)) {
        findings.add(
            DoctorFinding.problem(
                    "%s has mode %s, not %s".formatted(path, present, mode),
                    "others could read what containers are configured with, or make calls",
                    "`ocicat doctor --fix` sets it")
                .fixedBy(() -> setMode(path, mode)));
      }
      int owner = Permissions.id(path, "uid");
      if (owner != 0) {
        findings.add(
            DoctorFinding.problem(
                "%s belongs to user %d".formatted(path, owner),
                "that user can read and change it",
                "find out who created it, then chown root:root " + path));
      }
    } catch (IOException e) {
      findings.add(unreadable(path, e));
    }
  }

  private static void setMode(Path path, String mode) {
    try {
      Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(mode));
    } catch (IOException e) {
      throw new UncheckedIOException("cannot set the mode of " + path, e);
    }
  }

  private static void disk(Path folder, List<DoctorFinding> findings) {
    try {
      FileStore store = Files.getFileStore(folder);
      if (store.isReadOnly()) {
        findings.add(
            DoctorFinding.problem(
                folder + " is on a read-only file system",
                "no ADD can be recorded, so all fail; DELs work",
                "mount it writable"));
      } else if (store.getUsableSpace() < LEAST_FREE) {
        findings.add(
            DoctorFinding.problem(
                "%s has only %d KiB left".formatted(folder, store.getUsableSpace() >> 10),
                "an ADD that cannot be recorded fails",
                "make room"));
      }
    } catch (IOException e) {
      findings.add(unreadable(folder, e));
    }
  }

  private static DoctorFinding unreadable(Path path, IOException e) {
    return DoctorFinding.problem(
        "cannot read %s: %s".formatted(path, e.getMessage()),
        "the daemon cannot either",
        "make sure that it is a directory owned by root");
  }
}
