package io.ocicat.cli.doctor;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Checks who may change files that root executes or trusts. */
final class Permissions {
  private static final int ROOT = 0;

  private Permissions() {}

  /** What users other than root may change: a directory, or a file directly in it. */
  static List<DoctorFinding> openToOthers(Path directory, String power) {
    List<DoctorFinding> findings = new ArrayList<>();
    check(directory, power, findings);
    try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
      files.forEach(file -> check(file, power, findings));
    } catch (IOException _) {
      // It contains nothing that could be changed.
    }
    return findings;
  }

  private static void check(Path file, String power, List<DoctorFinding> findings) {
    if (!Files.exists(file, LinkOption.NOFOLLOW_LINKS) || Files.isSymbolicLink(file)) {
      return;
    }
    try {
      Set<PosixFilePermission> mode = Files.getPosixFilePermissions(file);
      boolean writable =
          mode.contains(PosixFilePermission.OTHERS_WRITE)
              || (mode.contains(PosixFilePermission.GROUP_WRITE) && id(file, "gid") != ROOT);
      if (writable || id(file, "uid") != ROOT) {
        findings.add(
            DoctorFinding.problem(
                "%s can be changed by users other than root (%s, owner %d)"
                    .formatted(file, PosixFilePermissions.toString(mode), id(file, "uid")),
                "whoever can change it can change " + power,
                "chown root:root and chmod go-w " + file));
      }
    } catch (IOException e) {
      findings.add(
          DoctorFinding.warning(
              "cannot read %s: %s".formatted(file, e.getMessage()),
              "it may be open to others",
              "look at it by hand"));
    }
  }

  static int id(Path file, String which) throws IOException {
    Map<String, Object> attributes = Files.readAttributes(file, "unix:" + which);
    return attributes.get(which) instanceof Integer id ? id : -1;
  }
}
