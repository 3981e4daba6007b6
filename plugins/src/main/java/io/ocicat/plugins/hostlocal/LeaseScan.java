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
 * Everything in a network's directory that is a lease or keeps an address from being leased, read
 * file by file. Sees what the Go plugin sees, which reads subdirectories, too.
 *
 * <p>Under the lock an empty file named as an address is nobody's: who makes a lease writes it
 * before the lock is given back, so its maker died in between, or the machine did before the
 * content was on disk. It is removed, as is a draft.
 *
 * @param complete whether the directory's own times tell of every change to what was found
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
   * @param content trimmed; empty if it could not be read, which then belongs to nobody
   */
  record Found(String name, String content) {
    static Found of(IpAddress address, LeaseOwner owner) {
      return new Found(address.toString(), owner.content());
    }

    /** Whether it is a lease of none of these. What is not a lease is not stale. */
    boolean isStale(Set<Attachment> valid) {
      return holder().filter(owner -> !owner.isOneOf(valid)).isPresent();
    }

    /** Whose lease it is; nothing when it is none. */
    Optional<LeaseOwner> holder() {
      return name.indexOf('/') < 0 && address().isPresent()
          ? LeaseOwner.parse(content)
          : Optional.empty();
    }

    /** As the Go plugin reads a name: forms that it would not write itself count as well. */
    Optional<IpAddress> address() {
      return IpAddress.tryParse(name.substring(name.lastIndexOf('/') + 1)).map(IpAddress::unmap);
    }
  }

  /** Whoever asks holds the lock. */
  static LeaseScan of(Path directory) throws IOException {
    return of(directory, true);
  }

  /** For those who only look: needs no lock, for it leaves everything as it is. */
  static LeaseScan look(Path directory) throws IOException {
    return of(directory, false);
  }

  private static LeaseScan of(Path directory, boolean tidying) throws IOException {
    Visit visit = new Visit(directory, tidying);
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
    private final boolean tidying;
    private final List<Found> files = new ArrayList<>();
    private boolean complete = true;

    Visit(Path top, boolean tidying) {
      this.top = top;
      this.tidying = tidying;
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
        if (tidying) {
          Files.delete(file);
        }
      } else if (isAddress || content.flatMap(LeaseOwner::parse).isPresent()) {
        files.add(new Found(name, content.orElse("")));
        complete &= name.chars().allMatch(c -> c > ' ' && c < 0x7f);
      }
    }

    /** Some file systems give what was never written out as zeros after a power failure. */
    private static boolean isBlank(String content) {
      return content.chars().allMatch(c -> c == 0);
    }

    /**
     * The Go plugin passes over it in silence; all that matters is whether its name is taken. Not
     * so where nothing is wrong with the file: who takes a lease for somebody else's because no
     * descriptor was left does not release it.
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
