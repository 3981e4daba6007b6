package io.ocicat.plugins.tuning;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ocicat.base.file.WholeFile;
import io.ocicat.base.json.Json;
import io.ocicat.cni.Attachment;
import io.ocicat.cni.CniException;
import io.ocicat.cni.CniJson;
import io.ocicat.cni.ErrorCode;
import io.ocicat.netlink.linux.RegularFile;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** The backup file of an attachment, under the name that Go gives it. */
record BackupFile(Path directory, String name, Attachment attachment) {
  private static final String SUFFIX = ".json";

  static BackupFile of(Path dataDir, Attachment attachment) {
    String name = attachment.containerId() + "_" + attachment.ifName() + SUFFIX;
    return new BackupFile(dataDir, name, attachment);
  }

  /**
   * All backup files of any network. They say which attachment they belong to, or it is unknown.
   */
  static List<BackupFile> in(Path dataDir) {
    List<BackupFile> files = new ArrayList<>();
    if (!Files.isDirectory(dataDir)) {
      return files;
    }
    try (Stream<Path> entries = Files.list(dataDir)) {
      entries
          .filter(Files::isRegularFile)
          .map(path -> dataDir.relativize(path).toString())
          .filter(name -> name.endsWith(SUFFIX))
          .forEach(name -> files.add(new BackupFile(dataDir, name, new Attachment("", ""))));
    } catch (IOException e) {
      throw failed("list backups in", dataDir, e);
    }
    return files;
  }

  /**
   * The content. An invalid file counts as empty: a crash may have left it half written by Go.
   *
   * @param problems receives why it is invalid
   */
  Optional<Backup> read(Consumer<String> problems) {
    Path path = path();
    if (!Files.exists(path)) {
      return Optional.empty();
    }
    try {
      byte[] bytes = RegularFile.read(path, CniJson.MAX_BYTES);
      return Optional.of(
          Backup.read(
              CniJson.parse(bytes),
              attachment,
              why -> problems.accept("backup " + path + ": " + why)));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    } catch (IOException e) {
      throw failed("read", path, e);
    } catch (CniException | IllegalArgumentException e) {
      problems.accept("backup %s is ignored: %s".formatted(path, e.getMessage()));
      return Optional.empty();
    }
  }

  /** Atomic: a reader never sees half of it. */
  void write(Backup backup) {
    Path path = path();
    Path next = next();
    try {
      makeDirectory();
      Files.deleteIfExists(next);
      WholeFile.at(path).draft(next).write(Json.prettyBytes(backup.toJson()));
    } catch (IOException e) {
      throw failed("save", path, e);
    }
  }

  void delete() {
    Path path = path();
    if (!Files.isDirectory(directory)) {
      return;
    }
    try {
      Files.deleteIfExists(path);
      Files.deleteIfExists(next());
    } catch (IOException e) {
      throw failed("remove", path, e);
    }
  }

  private Path path() {
    return directory.resolve(name);
  }

  /** A name of fixed length, however long the file's name is. */
  private Path next() {
    return directory.resolve("." + UUID.nameUUIDFromBytes(name.getBytes(UTF_8)) + ".tmp");
  }

  private void makeDirectory() throws IOException {
    if (Files.isDirectory(directory)) {
      return;
    }
    Path parent = directory.getParent();
    if (parent != null) {
      Files.createDirectories(parent);
    }
    try {
      Files.createDirectory(directory, permissions("rwx------"));
    } catch (FileAlreadyExistsException e) {
      if (!Files.isDirectory(directory)) {
        throw e;
      }
    }
  }

  private static FileAttribute<?> permissions(String mode) {
    return PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(mode));
  }

  private static CniException failed(String what, Path path, IOException e) {
    return new CniException(
        ErrorCode.IO_FAILURE, "failed to %s %s: %s".formatted(what, path, describe(e)), e);
  }

  private static String describe(IOException e) {
    return e.getClass().getSimpleName().replace("Exception", "") + " " + e.getMessage();
  }
}
