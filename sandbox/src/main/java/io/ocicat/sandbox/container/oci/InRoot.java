package io.ocicat.sandbox.container.oci;

import io.ocicat.netlink.linux.RegularFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Paths as a process in a container would see them: links lead to files of the container, never to
 * files of the host. For file systems in which no process runs yet.
 */
final class InRoot {
  private static final int MOST_LINKS = 40;
  private static final int LARGEST = 10 << 20;

  private InRoot() {}

  /** Returns the place of a path; what does not exist is taken as it is. */
  static Path resolve(Path root, String path) throws IOException {
    Path inside = Path.of("/");
    Deque<String> left = new ArrayDeque<>();
    push(left, path);
    int links = 0;
    while (!left.isEmpty()) {
      String name = left.pop();
      if (name.equals("..")) {
        Path parent = inside.getParent();
        inside = parent == null ? inside : parent;
        continue;
      }
      Path next = inside.resolve(name);
      Path real = root.resolve(next.toString().substring(1));
      if (Files.isSymbolicLink(real)) {
        links++;
        if (links > MOST_LINKS) {
          throw new FileSystemException(path, null, "too many symbolic links");
        }
        Path target = Files.readSymbolicLink(real);
        if (target.isAbsolute()) {
          inside = Path.of("/");
        }
        push(left, target.toString());
      } else {
        inside = next;
      }
    }
    return root.resolve(inside.toString().substring(1));
  }

  private static void push(Deque<String> left, String path) {
    String[] names = path.split("/", -1);
    for (int i = names.length - 1; i >= 0; i--) {
      if (!names[i].isEmpty() && !names[i].equals(".")) {
        left.push(names[i]);
      }
    }
  }

  /** Reads a small text file of the container; empty when there is none. */
  static String read(Path root, String path) throws IOException {
    try {
      return new String(RegularFile.read(resolve(root, path), LARGEST), StandardCharsets.UTF_8);
    } catch (NoSuchFileException | NotDirectoryException _) {
      return "";
    }
  }
}
