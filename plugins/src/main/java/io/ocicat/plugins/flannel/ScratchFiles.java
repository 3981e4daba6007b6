package io.ocicat.plugins.flannel;

import static java.nio.file.StandardCopyOption.ATOMIC_MOVE;
import static java.nio.file.StandardOpenOption.READ;

import io.ocicat.base.file.WholeFile;
import io.ocicat.cni.CniException;
import io.ocicat.cni.CniJson;
import io.ocicat.cni.ErrorCode;
import io.ocicat.netlink.linux.RegularFile;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Stores the delegate's request for each attachment, so that DEL can undo exactly that, whatever
 * happened to the configuration meanwhile.
 *
 * <p>The Go plugin keeps one file per container, named by its id: a second attachment of the same
 * container overwrites the first one's file, and whichever is deleted first removes it. So each
 * attachment has a file of its own here, which is authoritative, and the Go plugin's name is a
 * second hard link to the one that was written last: its DEL finds what our ADD stored. A file of
 * that name with no other link was written by the Go plugin, and our DEL uses it.
 *
 * <p>A file is complete and on disk before it gets its name, and it has its name before the
 * delegate is called.
 */
record ScratchFiles(Path directory) {
  private static final String NEW = ":new";
  private static final String LINK = ":link";
  private static final FileAttribute<?> OWNER_ONLY_DIRECTORY =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

  void write(ScratchName name, byte[] request) {
    Path file = directory.resolve(name.fileName());
    try {
      Files.createDirectories(directory, OWNER_ONLY_DIRECTORY);
      WholeFile.at(file).draft(directory.resolve(name.fileName() + NEW)).durable().write(request);
      Path link = directory.resolve(name.fileName() + LINK);
      Files.deleteIfExists(link);
      Files.createLink(link, file);
      Files.move(link, shared(name), ATOMIC_MOVE);
      try (FileChannel names = FileChannel.open(directory, READ)) {
        names.force(true);
      }
    } catch (IOException e) {
      throw failure("write", file, e);
    }
  }

  /** The path that the Go plugin uses. */
  private Path shared(ScratchName name) {
    return directory.resolve(name.attachment().containerId());
  }

  Optional<byte[]> read(ScratchName name) {
    Optional<byte[]> own = content(directory.resolve(name.fileName()));
    return own.isPresent() || !isTheOriginals(shared(name)) ? own : content(shared(name));
  }

  /** Including those that an interrupted ADD left. */
  void remove(ScratchName name) {
    Path file = directory.resolve(name.fileName());
    Path shared = shared(name);
    try {
      boolean own = Files.exists(file);
      if (own ? Files.exists(shared) && Files.isSameFile(file, shared) : isTheOriginals(shared)) {
        Files.deleteIfExists(shared);
      }
      for (String suffix : List.of(NEW, LINK, "")) {
        Files.deleteIfExists(directory.resolve(name.fileName() + suffix));
      }
    } catch (IOException e) {
      throw failure("remove", file, e);
    }
  }

  /** From now on it has only the name that the Go plugin knows. */
  void leaveToTheOriginal(ScratchName name) {
    Path file = directory.resolve(name.fileName());
    try {
      if (Files.exists(file) && !Files.exists(shared(name))) {
        Files.createLink(shared(name), file);
      }
      for (String suffix : List.of(NEW, LINK, "")) {
        Files.deleteIfExists(directory.resolve(name.fileName() + suffix));
      }
    } catch (IOException e) {
      throw failure("hand over", file, e);
    }
  }

  /** All attachments that have a file, finished or not. */
  List<ScratchName> names() {
    return list().stream().flatMap(name -> ScratchName.parse(name).stream()).distinct().toList();
  }

  /** The ids of the containers that the Go plugin attached. */
  List<String> containersOfTheOriginal() {
    return list().stream()
        .filter(name -> !name.startsWith(".") && isTheOriginals(directory.resolve(name)))
        .toList();
  }

  private List<String> list() {
    try (Stream<Path> files = Files.list(directory)) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    } catch (NoSuchFileException _) {
      return List.of();
    } catch (IOException e) {
      throw failure("list", directory, e);
    }
  }

  private static Optional<byte[]> content(Path file) {
    try {
      return Optional.of(RegularFile.start(file, CniJson.MAX_BYTES + 1));
    } catch (NoSuchFileException _) {
      return Optional.empty();
    } catch (IOException e) {
      throw failure("read", file, e);
    }
  }

  private static boolean isTheOriginals(Path shared) {
    try {
      return Files.getAttribute(shared, "unix:nlink", LinkOption.NOFOLLOW_LINKS)
              instanceof Integer n
          && n == 1;
    } catch (NoSuchFileException _) {
      return false;
    } catch (IOException e) {
      throw failure("look at", shared, e);
    }
  }

  private static CniException failure(String what, Path file, IOException e) {
    return new CniException(
        ErrorCode.IO_FAILURE, "cannot %s scratch file %s: %s".formatted(what, file, e), e);
  }
}
