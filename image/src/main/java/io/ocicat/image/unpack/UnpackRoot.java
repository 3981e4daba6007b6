package io.ocicat.image.unpack;

import io.ocicat.image.archive.ArchiveException;
import io.ocicat.image.files.Directory;
import io.ocicat.image.files.FileStatus;
import io.ocicat.image.files.RawName;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * Finds directories below the root of a layer. Paths are walked component by component from
 * descriptors, never by the kernel: links are read and followed within the root as the container
 * will see them, so an absolute link begins at the layer's root, and a path that climbs out of the
 * root is refused, by its name or through any number of links.
 *
 * <p>The last directory is kept open, because the entries of an archive come by directory; what an
 * entry changes is in that directory, so it stays what it was. Not thread-safe.
 */
final class UnpackRoot implements AutoCloseable {
  private static final int MOST_LINKS = 40;

  /** Deeper trees would need as many descriptors; images have a few dozen levels. */
  private static final int DEEPEST = 200;

  private static final int LONGEST_PATH = 4095;

  private final Directory root;
  private final MissingDirectories missing;
  private Found last;

  /** Makes a directory that a path needs and the layer does not have. */
  interface MissingDirectories {
    void make(Directory parent, String name, List<String> path) throws ArchiveException;
  }

  /**
   * An open directory.
   *
   * @param path where it is below the root, links resolved
   */
  private record Found(String asked, List<Directory> chain, List<String> path) {
    void close() {
      // The first is the root, which is ours for longer.
      chain.subList(1, chain.size()).forEach(Directory::close);
    }
  }

  UnpackRoot(Directory root, MissingDirectories missing) {
    this.root = root;
    this.missing = missing;
    this.last = new Found("", List.of(root), List.of());
  }

  /** A directory in the layer with the path that led there. */
  record Place(Directory directory, List<String> path) {}

  /**
   * Splits a name into components, without {@code .} and empty ones.
   *
   * @throws ArchiveException if it leaves the root or is too long
   */
  static List<String> components(String name, String what) throws ArchiveException {
    if (name.length() > LONGEST_PATH) {
      throw new ArchiveException(
          "%s %s is longer than %d bytes".formatted(what, RawName.quoted(name), LONGEST_PATH));
    }
    List<String> parts = new ArrayList<>();
    for (String part : name.split("/", -1)) {
      if (part.equals("..")) {
        throw new ArchiveException(
            "%s %s leaves the root by \"..\"".formatted(what, RawName.quoted(name)));
      }
      if (!part.isEmpty() && !part.equals(".")) {
        parts.add(part);
      }
    }
    return parts;
  }

  /** The directory of that path, made with all that leads there if it is missing. */
  Place directory(List<String> path) throws ArchiveException {
    String asked = String.join("/", path);
    if (!asked.equals(last.asked)) {
      Found found = walk(asked, path, true);
      last.close();
      last = found;
    }
    return new Place(last.chain.getLast(), last.path);
  }

  /** Runs with the directory of that path, which must exist. */
  <T> T existing(List<String> path, Use<T> use) throws ArchiveException {
    Found found = walk(String.join("/", path), path, false);
    try {
      return use.with(found.chain.getLast());
    } finally {
      found.close();
    }
  }

  /** What to do with a directory. */
  interface Use<T> {
    T with(Directory directory) throws ArchiveException;
  }

  private Found walk(String asked, List<String> path, boolean make) throws ArchiveException {
    List<Directory> chain = new ArrayList<>(List.of(root));
    List<String> names = new ArrayList<>();
    boolean done = false;
    try {
      Deque<String> left = new ArrayDeque<>(path);
      int links = 0;
      while (!left.isEmpty()) {
        String name = left.removeFirst();
        if (name.isEmpty() || name.equals(".")) {
          continue;
        }
        if (name.equals("..")) {
          if (names.isEmpty()) {
            throw new ArchiveException(
                "%s leaves the root through a link".formatted(RawName.quoted(asked)));
          }
          names.removeLast();
          chain.removeLast().close();
          continue;
        }
        Directory here = chain.getLast();
        FileStatus status = here.status(name).orElse(null);
        if (status == null || status.isWhiteout()) {
          if (!make) {
            throw new ArchiveException(
                "%s does not exist in this layer".formatted(RawName.quoted(asked)));
          }
          names.add(name);
          missing.make(here, name, names);
          names.removeLast();
        } else if (status.isSymlink()) {
          if (++links > MOST_LINKS) {
            throw new ArchiveException(
                "%s leads through more than %d links".formatted(RawName.quoted(asked), MOST_LINKS));
          }
          String target = here.readLink(name);
          if (target.startsWith("/")) {
            chain.subList(1, chain.size()).reversed().forEach(Directory::close);
            chain.subList(1, chain.size()).clear();
            names.clear();
          }
          String[] parts = target.split("/", -1);
          for (int i = parts.length - 1; i >= 0; i--) {
            left.addFirst(parts[i]);
          }
          continue;
        } else if (!status.isDirectory()) {
          throw new ArchiveException(
              "%s leads through %s, which is not a directory"
                  .formatted(RawName.quoted(asked), RawName.quoted(name)));
        }
        if (names.size() == DEEPEST) {
          throw new ArchiveException(
              "%s is more than %d directories deep".formatted(RawName.quoted(asked), DEEPEST));
        }
        chain.add(here.child(name));
        names.add(name);
      }
      done = true;
      return new Found(asked, List.copyOf(chain), List.copyOf(names));
    } finally {
      if (!done) {
        chain.subList(1, chain.size()).forEach(Directory::close);
      }
    }
  }

  @Override
  public void close() {
    last.close();
  }
}
