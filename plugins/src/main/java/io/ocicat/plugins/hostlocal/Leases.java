package io.ocicat.plugins.hostlocal;

import io.ocicat.base.Deadline;
import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.ip.IpAddress;
import io.ocicat.netlink.linux.Errno;
import io.ocicat.netlink.linux.FileLock;
import io.ocicat.netlink.linux.NetlinkException;
import io.ocicat.plugins.hostlocal.LeaseScan.Found;
import io.ocicat.plugins.hostlocal.RangeSet.Member;
import io.ocicat.plugins.support.BestEffort;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The leases of one network, locked for the duration of one call. Not thread-safe. */
final class Leases implements AutoCloseable {
  private final Path path;
  private final LeaseCache.Turn turn;
  private final FileLock lock;
  private final IndexedDirectory directory;
  private boolean scanned;

  private Leases(Path path, LeaseCache.Turn turn, FileLock lock) throws IOException {
    this.path = path;
    this.turn = turn;
    this.lock = lock;
    this.directory = turn.directory();
    this.scanned = directory.open(path);
  }

  /**
   * Opens a network's leases, creating the directory if needed.
   *
   * @throws CniException with code 5 when that is impossible, 11 when the lock is not available in
   *     time
   */
  static Leases open(Path path, Deadline deadline, LeaseCache cache) {
    try {
      if (!Files.isDirectory(path)) {
        Files.createDirectories(
            path,
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxr-xr-x")));
      }
      LeaseCache.Turn turn = cache.await(DirectoryStamp.of(path).identity(), deadline);
      FileLock lock = null;
      try {
        lock = lock(path.resolve(LeaseFile.LOCK), deadline);
        return new Leases(path, turn, lock);
      } catch (IOException | RuntimeException e) {
        if (lock != null) {
          lock.close();
        }
        turn.close();
        throw e;
      }
    } catch (IOException e) {
      throw failure("open the leases in " + path, e);
    }
  }

  /** Without a deadline the kernel's queue is fairer than polling. */
  private static FileLock lock(Path file, Deadline deadline) {
    try {
      return deadline.isNever() && !Thread.currentThread().isVirtual()
          ? FileLock.acquire(file, FileLock.Mode.EXCLUSIVE)
          : FileLock.acquire(file, FileLock.Mode.EXCLUSIVE, deadline.remaining());
    } catch (NetlinkException e) {
      ErrorCode code =
          e.is(Errno.EAGAIN) || e.is(Errno.EINTR)
              ? ErrorCode.TRY_AGAIN_LATER
              : ErrorCode.IO_FAILURE;
      throw new CniException(code, String.valueOf(e.getMessage()), e);
    }
  }

  static CniException failure(String what, IOException e) {
    return new CniException(
        ErrorCode.IO_FAILURE, "cannot " + what + ": " + FileError.describe(e), e);
  }

  /** The files that belong to exactly this owner. */
  List<Found> heldBy(LeaseOwner owner) {
    String content = owner.content();
    try {
      List<Found> held = new ArrayList<>();
      for (String name : directory.files(LeaseIndex.hash(content))) {
        if (!isContent(name, content)) {
          // Someone changed a file in place, or two contents have the same hash.
          scanned = true;
          return directory.rescan(path).files().stream()
              .filter(file -> file.content().equals(content))
              .toList();
        }
        held.add(new Found(name, content));
      }
      return held;
    } catch (IOException e) {
      throw failure("read the leases of " + owner + " in " + path, e);
    }
  }

  private boolean isContent(String name, String content) throws IOException {
    return LeaseFile.read(path.resolve(name))
        .map(LeaseFile::trim)
        .filter(content::equals)
        .isPresent();
  }

  /** Every file, read again. */
  List<Found> all() {
    try {
      scanned = true;
      return directory.rescan(path).files();
    } catch (IOException e) {
      throw failure("read the leases in " + path, e);
    }
  }

  /** The owner of an address, for messages. */
  Optional<String> holderOf(IpAddress address) {
    try {
      return LeaseFile.read(path.resolve(address.toString()))
          .map(LeaseFile::trim)
          .map(
              content ->
                  LeaseOwner.parse(content).map(LeaseOwner::toString).orElse("someone unknown"));
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  /** The set's next free address, without reserving it. */
  Optional<Member> nextFree(RangeSet set, int number) {
    Optional<IpAddress> last = lastReserved(number);
    Optional<Member> free = directory.nextFree(set, last);
    if (free.isEmpty() && !scanned) {
      all();
      free = directory.nextFree(set, last);
    }
    return free;
  }

  /** An unreadable file counts as missing: the search starts at the beginning again. */
  private Optional<IpAddress> lastReserved(int number) {
    try {
      return LeaseFile.read(path.resolve(LeaseFile.LAST_RESERVED + number))
          .flatMap(IpAddress::tryParse)
          .map(IpAddress::unmap);
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  /**
   * Leases an address and records it as the last one of its set. Leaves nothing behind when it
   * fails.
   *
   * @return whether the address was free
   */
  boolean reserve(IpAddress address, LeaseOwner owner, int number) {
    Found lease = Found.of(address, owner);
    try {
      if (!LeaseFile.create(path, lease.name(), lease.content())) {
        if (!directory.isLeased(address)) {
          directory.added("", lease.name());
          directory.invalidate();
        }
        return false;
      }
      directory.added(lease.content(), lease.name());
      recordLast(lease, number);
      return true;
    } catch (IOException e) {
      directory.invalidate();
      throw failure("lease " + address + " in " + path, e);
    }
  }

  private void recordLast(Found lease, int number) throws IOException {
    try {
      LeaseFile.overwrite(path.resolve(LeaseFile.LAST_RESERVED + number), lease.name());
    } catch (IOException e) {
      try {
        release(lease);
      } catch (CniException alsoFailed) {
        e.addSuppressed(alsoFailed);
      }
      throw e;
    }
  }

  /** Removes a file that was found or created under this lock. */
  void release(Found lease) {
    try {
      Files.delete(path.resolve(lease.name()));
      directory.removed(lease.content(), lease.name());
    } catch (NoSuchFileException e) {
      directory.removed(lease.content(), lease.name());
    } catch (IOException e) {
      directory.invalidate();
      throw failure("release " + lease.name() + " in " + path, e);
    }
  }

  /** Removes each of them, even when one fails. */
  void releaseAll(List<Found> leases) {
    BestEffort.all(
        leases.stream().<Runnable>map(lease -> () -> release(lease)).toArray(Runnable[]::new));
  }

  /** Fails when nothing can be leased here. */
  void requireWritable() {
    if (!Files.isWritable(path)) {
      throw new CniException(
          ErrorCode.IO_FAILURE, "cannot lease addresses: %s is not writable".formatted(path));
    }
  }

  @Override
  public void close() {
    try (turn;
        lock) {
      directory.seal(path);
    }
  }
}
