package io.ocicat.plugins.hostlocal;

import io.ocicat.cni.Attachment;
import io.ocicat.ip.IpAddress;
import io.ocicat.netlink.linux.RegularFile;
import java.io.IOException;
import java.nio.file.FileVisitOption;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A full scan of a network's directory: every file that is a lease or blocks an address. It
 * includes subdirectories, as the Go plugin does.
 *
 * <p>Under the lock, an empty file named like an address belongs to nobody: leases are written
 * before the lock is released, so its writer was killed in between, or the machine crashed before
 * the content was on disk. It is removed, as is a draft.
 *
 * @param complete whether the directory's own times show every change to what was found
 */
record LeaseScan(List<Found> files, boolean complete) {
  private static final int MAX_DEPTH = 16;

  LeaseScan {
    files = List.copyOf(files);
  }

  /**
   * One of the files.
   *
   * @param name relative to the directory
   * @param content trimmed; empty if it could not be read, and then without an owner
   */
  record Found(String name, String content) {
    static Found of(IpAddress address, LeaseOwner owner) {
      return new Found(address.toString(), owner.content());
    }

    /** Whether it is a lease of none of these owners. A file that is not a lease is not stale. */
    boolean isStale(Set<Attachment> valid) {
      return holder().filter(owner -> !owner.isOneOf(valid)).isPresent();
    }

    /** The owner of the lease; empty when it is not a lease. */
    Optional<LeaseOwner> holder() {
      return name.indexOf('/') < 0 && address().isPresent()
          ? LeaseOwner.parse(content)
          : Optional.empty();
    }

    /** Parses a name as the Go plugin does: forms that it would not write itself count as well. */
    Optional<IpAddress> address() {
      return IpAddress.tryParse(name.substring(name.lastIndexOf('/') + 1)).map(IpAddress::unmap);
    }
  }

  /** The caller holds the lock. */
  static LeaseScan of(Path directory) throws IOException {
    return of(directory, true);
  }

  /** For read-only callers: needs no lock, because it changes nothing. */
  static LeaseScan readOnly(Path directory) throws IOException {
    return of(directory, false);
  }

  private static LeaseScan of(Path directory, boolean cleaning) throws IOException {
    Visit visit = new Visit(directory, cleaning);
    Files.walkFileTree(directory, EnumSet.noneOf(FileVisitOption.class), MAX_DEPTH, visit);
    return new LeaseScan(visit.files, visit.complete);
  }

  LeaseIndex index() {
    LeaseIndex index = new LeaseIndex();
    for (Found file : files) {
      index.add(LeaseIndex.hash(file.content()), file.name());
    }
    return index;
  }

  private static final class Visit extends SimpleFileVisitor<Path> {
    private final Path top;
    private final boolean cleaning;
    private final List<Found> files = new ArrayList<>();
    private boolean complete = true;

    Visit(Path top, boolean cleaning) {
      this.top = top;
      this.cleaning = cleaning;
    }

    @Override
    public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) {
      if (!directory.equals(top)) {
        complete = false;
        addUnread(directory);
      }
      return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
      String name = top.relativize(file).toString();
      if (!name.equals(LeaseFile.LOCK) && !name.startsWith(LeaseFile.LAST_RESERVED)) {
        try {
          visit(file, name, attributes);
        } catch (IOException e) {
          return visitFileFailed(file, e);
        }
      }
      return FileVisitResult.CONTINUE;
    }

    private void visit(Path file, String name, BasicFileAttributes attributes) throws IOException {
      boolean isAddress = LeaseIndex.addressOf(name).isPresent();
      Optional<String> content = LeaseFile.read(file, attributes).map(LeaseFile::trim);
      if (content.isPresent()
          && (name.equals(LeaseFile.DRAFT) || (isAddress && isBlank(content.get())))) {
        if (cleaning) {
          Files.delete(file);
        }
      } else if (isAddress || content.flatMap(LeaseOwner::parse).isPresent()) {
        files.add(new Found(name, content.orElse("")));
        complete &= name.chars().allMatch(c -> c > ' ' && c < 0x7f);
      }
    }

    /** After a power failure, some file systems fill what was never written out with zeros. */
    private static boolean isBlank(String content) {
      return content.chars().allMatch(c -> c == 0);
    }

    /**
     * The Go plugin silently ignores such a file; it only matters that its name is in use. The
     * exception is an error that is not the file's fault: with no descriptor left, a lease of the
     * owner's would go unrecognised and never be released.
     */
    @Override
    public FileVisitResult visitFileFailed(Path file, IOException e) throws IOException {
      if (!(e instanceof NoSuchFileException)
          && (file.equals(top) || RegularFile.canBeOpenedAtOtherTimes(file))) {
        throw e;
      }
      complete = false;
      addUnread(file);
      return FileVisitResult.CONTINUE;
    }

    private void addUnread(Path file) {
      String name = top.relativize(file).toString();
      if (LeaseIndex.addressOf(name).isPresent()) {
        files.add(new Found(name, ""));
      }
    }
  }
}
