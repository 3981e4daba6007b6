package io.ocicat.plugins.hostlocal;

import io.ocicat.ip.IpAddress;
import io.ocicat.netlink.linux.Fd;
import io.ocicat.netlink.linux.NetlinkException;
import io.ocicat.plugins.hostlocal.RangeSet.Member;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * A network's lease directory with an index in memory, which makes the cost of a call independent
 * of the number of leases in a process that serves many.
 *
 * <p>The files are authoritative, and other processes change them without knowing about the index.
 * They do honour the lock, so nothing changes between {@link #open} and {@link #seal}, which are
 * called by the lock's holder. The Go plugin reads every file of the directory for every call. Here
 * a call does the same work whether ten addresses are leased or ten thousand:
 *
 * <ol>
 *   <li>{@code open} compares the directory's {@link DirectoryStamp} with the one that was set when
 *       the index was last up to date. If they are equal, nobody has added or removed a file since,
 *       and the index is valid. Otherwise every file is read ({@link LeaseScan}).
 *   <li>Every change to the files is made in the index as well.
 *   <li>{@code seal} sets a new stamp and remembers it.
 * </ol>
 *
 * <p>What can go wrong when the index is wrong after all, because someone changed files without the
 * lock just while we had it, or wrote over one in place? No address is leased twice, since a lease
 * is a file that is created only if none exists; nothing is released that is not the owner's, since
 * the file is read first. An address could be passed over; so before a range is reported as full
 * the files are read once more. GC reads them in any case.
 *
 * <p>A process that serves one call reads all files: 10 ms for a thousand leases, which is little
 * beside the start of its JVM.
 *
 * <p>Not thread-safe: used by the holder of the {@link LeaseCache.Turn}.
 */
final class IndexedDirectory {
  /**
   * File systems that set a directory's times as described and show them to everybody at once, by
   * their statfs(2) numbers: ext2 to ext4, xfs, btrfs, f2fs, tmpfs, overlay. Network file systems
   * do not: they cache times.
   */
  private static final Set<Long> TRUSTED =
      Set.of(0xEF53L, 0x58465342L, 0x9123683EL, 0xF2F52010L, 0x01021994L, 0x794C7630L);

  private final RandomGenerator random;
  private final Clock clock;
  private LeaseIndex index = new LeaseIndex();

  /** The directory's stamp while the index is up to date; null while it has none. */
  private @Nullable DirectoryStamp stamp;

  private boolean changed;
  private boolean worthKeeping;

  IndexedDirectory(RandomGenerator random, Clock clock) {
    this.random = random;
    this.clock = clock;
  }

  /**
   * Brings the index up to date with the directory.
   *
   * @return whether the files had to be read
   */
  boolean open(Path directory) throws IOException {
    if (DirectoryStamp.of(directory).equals(stamp)) {
      return false;
    }
    rescan(directory);
    return true;
  }

  /** Reads every file, whatever the index says. */
  LeaseScan rescan(Path directory) throws IOException {
    clear();
    LeaseScan scan = LeaseScan.of(directory);
    index = scan.index();
    worthKeeping = scan.complete() && isTrusted(directory);
    return scan;
  }

  private static boolean isTrusted(Path directory) {
    try (Fd open = Fd.open(directory, Fd.O_RDONLY, 0)) {
      return TRUSTED.contains(open.fileSystem());
    } catch (NetlinkException e) {
      return false;
    }
  }

  /** Files whose content may be that of the owner. */
  List<String> files(long owner) {
    return index.files(owner);
  }

  /** Whether an address is leased according to the index. */
  boolean isLeased(IpAddress address) {
    return index.taken().contains(address);
  }

  /** The set's next free address, without reserving it. */
  Optional<Member> nextFree(RangeSet set, Optional<IpAddress> last) {
    return set.nextFree(last, index.taken());
  }

  /** Records that a file was created. */
  void added(String content, String name) {
    index.add(LeaseIndex.hash(content), name);
    changed = true;
  }

  /** Records that a file was removed. */
  void removed(String content, String name) {
    index.remove(LeaseIndex.hash(content), name);
    changed = true;
  }

  /** The files differ from the index: it must not be used after the current call. */
  void invalidate() {
    worthKeeping = false;
  }

  /** Ends the changes: from now on the index is up to date until somebody changes a file. */
  void seal(Path directory) {
    if (!worthKeeping) {
      clear();
    } else if (stamp == null || changed) {
      try {
        stamp = DirectoryStamp.put(directory, random, clock);
        changed = false;
      } catch (IOException e) {
        clear();
      }
    }
  }

  private void clear() {
    index = new LeaseIndex();
    stamp = null;
    changed = false;
  }

  /** Its memory use, counted in leases. */
  int size() {
    return index.size();
  }
}
