package io.ocicat.netlink.linux;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/**
 * Reads files whose names come from somebody else. Opening a pipe waits for its other end, and
 * reading a device may never end: so a file is opened without waiting, and read only if it is a
 * regular file.
 */
public final class RegularFile {
  private static final int O_NOCTTY = 0x100;

  private RegularFile() {}

  /**
   * Reads a whole file.
   *
   * @param most the most bytes it may have
   * @throws NoSuchFileException when it does not exist
   * @throws IOException when it is not a regular file, is longer or cannot be read
   */
  public static byte[] read(Path path, int most) throws IOException {
    byte[] bytes = start(path, most + 1);
    if (bytes.length > most) {
      throw new FileSystemException(
          path.toString(), null, "it has more than %d bytes".formatted(most));
    }
    return bytes;
  }

  /** The same for a file that may be longer, of which only the first bytes are read. */
  public static byte[] start(Path path, int most) throws IOException {
    try (Fd file = open(path)) {
      Path opened = Path.of("/proc/self/fd", Integer.toString(file.number()));
      if (!Files.isRegularFile(opened)) {
        throw new FileSystemException(
            path.toString(),
            null,
            Files.isDirectory(opened) ? "Is a directory" : "not a regular file");
      }
      try (InputStream in = Files.newInputStream(opened)) {
        return in.readNBytes(most);
      }
    }
  }

  /**
   * Whether nothing is wrong with a file that could not be read just now: it can be opened, or only
   * a descriptor or memory was missing.
   */
  public static boolean canBeOpenedAtOtherTimes(Path path) {
    try (Fd _ = openNow(path)) {
      return true;
    } catch (NetlinkException e) {
      return e.is(Errno.EMFILE) || e.is(Errno.ENFILE) || e.is(Errno.ENOMEM);
    }
  }

  private static Fd openNow(Path path) {
    return Fd.open(path, Fd.O_RDONLY | Fd.O_NONBLOCK | O_NOCTTY, 0);
  }

  private static Fd open(Path path) throws IOException {
    try {
      return openNow(path);
    } catch (NetlinkException e) {
      String name = path.toString();
      if (e.is(Errno.ENOENT)) {
        throw new NoSuchFileException(name);
      }
      if (e.is(Errno.EACCES) || e.is(Errno.EPERM)) {
        throw new AccessDeniedException(name);
      }
      throw new FileSystemException(name, null, e.errno().toString());
    }
  }
}
