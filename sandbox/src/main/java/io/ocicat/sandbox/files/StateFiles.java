package io.ocicat.sandbox.files;

import io.ocicat.base.file.WholeFile;
import io.ocicat.sandbox.SandboxException;
import io.ocicat.sandbox.SandboxException.Reason;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The files that sandboxes are kept in, always whole. */
public final class StateFiles {
  private static final FileAttribute<Set<PosixFilePermission>> OWNERS_FOLDER =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));
  private static final long LARGEST = 8 << 20;

  /** Whether a file must survive that the power fails. */
  public enum Durability {
    PROCESS,
    POWER
  }

  private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,199}");

  private StateFiles() {}

  /**
   * Returns a file name for any text: the text itself, or a digest of it where it is unsuitable.
   */
  public static String nameFor(String text) {
    if (PLAIN.matcher(text).matches()) {
      return text;
    }
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
      return "%" + HexFormat.of().formatHex(digest);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Puts the bytes there, in place of what was there. */
  public static void write(Path file, byte[] bytes, Durability lasting) {
    WholeFile whole = WholeFile.at(file);
    try {
      (lasting == Durability.POWER ? whole.durable() : whole).write(bytes);
    } catch (IOException e) {
      throw failed("write", file, e);
    }
  }

  /** Empty when there is no such file. */
  public static Optional<byte[]> read(Path file) {
    try {
      if (Files.isRegularFile(file) && Files.size(file) > LARGEST) {
        throw new IOException("it has more than %d bytes".formatted(LARGEST));
      }
      return Optional.of(Files.readAllBytes(file));
    } catch (NoSuchFileException | NotDirectoryException _) {
      return Optional.empty();
    } catch (IOException e) {
      throw failed("read", file, e);
    }
  }

  public static boolean remove(Path file) {
    try {
      return Files.deleteIfExists(file);
    } catch (IOException e) {
      throw failed("remove", file, e);
    }
  }

  /** A folder and what is in it. */
  public static void removeTree(Path folder) {
    if (Files.notExists(folder)) {
      return;
    }
    try (Stream<Path> all = Files.walk(folder)) {
      for (Path each : all.sorted((a, b) -> b.getNameCount() - a.getNameCount()).toList()) {
        Files.deleteIfExists(each);
      }
    } catch (IOException e) {
      throw failed("remove", folder, e);
    }
  }

  /** Names in alphabetical order, without drafts; none when there is no such folder. */
  public static List<String> names(Path folder) {
    List<String> names = new ArrayList<>();
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(folder)) {
      for (Path entry : entries) {
        String name = entry.getFileName().toString();
        if (!name.startsWith(".")) {
          names.add(name);
        }
      }
    } catch (NoSuchFileException | NotDirectoryException _) {
      return List.of();
    } catch (IOException e) {
      throw failed("list", folder, e);
    }
    names.sort(null);
    return names;
  }

  /** For the owner alone. */
  public static Path privateFolder(Path folder) {
    try {
      return Files.createDirectories(folder, OWNERS_FOLDER);
    } catch (IOException e) {
      throw failed("make", folder, e);
    }
  }

  public static SandboxException failed(String verb, Path file, IOException e) {
    return new SandboxException(
        Reason.FAILED, "cannot %s %s: %s".formatted(verb, file, reason(e)), e);
  }

  private static String reason(IOException e) {
    return e instanceof FileSystemException system && system.getReason() != null
        ? system.getReason()
        : e.toString();
  }
}
