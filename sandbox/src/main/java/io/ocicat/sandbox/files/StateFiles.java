package io.ocicat.sandbox.files;

import io.ocicat.base.file.WholeFile;
import io.ocicat.sandbox.SandboxException;
import io.ocicat.sandbox.SandboxException.Reason;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** Reads and writes files atomically: a file is written under a temporary name, then renamed. */
public final class StateFiles {
  private static final FileAttribute<Set<PosixFilePermission>> OWNERS_FOLDER =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));
  private static final long LARGEST = 8 << 20;

  /** Whether a file must survive a power failure. */
  public enum Durability {
    PROCESS,
    POWER
  }

  private StateFiles() {}

  /** Writes or replaces a file. */
  public static void write(Path file, byte[] bytes, Durability durability) {
    Path draft =
        file.resolveSibling(
            ".%s.%08x".formatted(file.getFileName(), ThreadLocalRandom.current().nextInt()));
    try {
      try (FileChannel out =
          FileChannel.open(
              draft, Set.of(StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW), OWNER_ONLY)) {
        ByteBuffer left = ByteBuffer.wrap(bytes);
        while (left.hasRemaining()) {
          out.write(left);
        }
        if (durability == Durability.POWER) {
          out.force(true);
        }
      }
      Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      throw failed("write", file, e);
    }
  }

  /** Returns the content; empty when the file does not exist. */
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

  /** Deletes a directory with its content. */
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

  /**
   * Returns the names in alphabetical order, without temporary files; none when the directory does
   * not exist.
   */
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

  /** Creates a directory that only the owner can access. */
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
