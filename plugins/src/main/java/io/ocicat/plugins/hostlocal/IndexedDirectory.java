package io.ocicat.plugins.hostlocal;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;

import io.ocicat.ip.IpAddress;
import io.ocicat.netlink.linux.Fd;
import io.ocicat.netlink.linux.NetlinkException;
import io.ocicat.plugins.hostlocal.IndexFile.Change;
import io.ocicat.plugins.hostlocal.RangeSet.Member;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * A network's lease directory with an index, which makes the cost of a call independent of the
 * number of leases.
 *
 * <p>The files are authoritative, and the Go plugin changes them without knowing about the index.
 * It does honour the lock, so nothing changes between {@link #open} and {@link #seal}, which are
 * called by the lock's holder. The Go plugin reads every file of the directory for every call. Here
 * a call does the same work whether ten addresses are leased or ten thousand:
 *
 * <ol>
 *   <li>{@code open} compares the directory's {@link DirectoryStamp} with the one that was set when
 *       the index was last up to date. If they are equal, nobody has added or removed a file since,
 *       and the index in memory is valid. Otherwise the {@link IndexFile} is valid if it has the
 *       current stamp: then another process of ours made the change. It stays on disk, and lookups
 *       read from it; a free address is found by checking the next few, and only after a long run
 *       of used ones is all of it read. Otherwise another program changed the directory, or one of
 *       our processes was killed, and every file is read ({@link LeaseScan}).
 *   <li>Every change to the files is made in the index as well.
 *   <li>{@code seal} sets a new stamp and records it, in memory and at the end of the index file. A
 *       process killed anywhere in between leaves a directory without a stamp, or with an unknown
 *       one: the next call reads the files.
 * </ol>
 *
 * <p>What can go wrong when the index is wrong after all, because someone changed files without the
 * lock just while we had it, or wrote over one in place? No address is leased twice, since a lease
 * is a file that is created only if none exists; nothing is released that is not the owner's, since
 * the file is read first. An address could be passed over; so before a range is reported as full
 * the files are read once more. GC reads them in any case.
 *
 * <p>Not thread-safe: used by the holder of the {@link LeaseCache.Turn}.
 */
final class IndexedDirectory implements AutoCloseable {
  /** With fewer files than this, reading them all takes no longer than starting a JVM. */
  private static final int WORTH_A_FILE = 500;

  /** How many addresses are checked one by one before the whole index is read. */
  private static final int PROBES = 32;

  /**
   * File systems that set a directory's times as described and show them to everybody at once, by
   * their statfs(2) numbers: ext2 to ext4, xfs, btrfs, f2fs, tmpfs, overlay. Network file systems
   * do not: they cache times.
   */
  private static final Set<Long> TRUSTED =
      Set.of(0xEF53L, 0x58465342L, 0x9123683EL, 0xF2F52010L, 0x01021994L, 0x794C7630L);

  private final RandomGenerator random;
  private final Clock clock;
  private final List<Change> changes = new ArrayList<>();

  /** Null while the index file suffices; exactly one of the two is null. */
  private @Nullable LeaseIndex index = new LeaseIndex();

  private @Nullable IndexTable table;

  /** The directory's stamp while the index is up to date; null while it has none. */
  private @Nullable DirectoryStamp stamp;

  /** Null until the directory is opened. */
  private @Nullable IndexFile file;

  private boolean worthKeeping;

  IndexedDirectory(RandomGenerator random, Clock clock) {
    this.random = random;
    this.clock = clock;
  }

  /**
   * Brings the index up to date with the directory.
   *
   * @return whether it was read from the files themselves rather than from a cache
   */
  boolean open(Path directory) throws IOException {
    DirectoryStamp present = DirectoryStamp.of(directory);
    if (present.equals(stamp)) {
      return false;
    }
    clear();
    file = IndexFile.of(directory);
    Optional<IndexTable> known = file.read(present);
    if (known.isEmpty()) {
      rescan(directory);
      return true;
    }
    table = known.get();
    index = null;
    stamp = present;
    worthKeeping = true;
    return false;
  }

  /** Reads every file, whatever the index says. */
  LeaseScan rescan(Path directory) throws IOException {
    clear();
    file = IndexFile.of(directory);
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
  List<String> files(Path directory, long owner) throws IOException {
    if (table != null) {
      try {
        List<String> names = new ArrayList<>(table.files(owner));
        for (Change change : changes) {
          if (change.owner() == owner) {
            names.remove(change.name());
            if (change.added()) {
              names.add(change.name());
            }
          }
        }
        return names;
      } catch (IOException e) {
        rescan(directory);
      }
    }
    return index(directory).files(owner);
  }

  /** Whether an address is leased according to the index. */
  boolean isLeased(Path directory, IpAddress address) throws IOException {
    return index(directory).taken().contains(address);
  }

  /** The set's next free address, without reserving it. */
  Optional<Member> nextFree(Path directory, RangeSet set, Optional<IpAddress> last)
      throws IOException {
    if (index == null) {
      AddressRuns taken = new AddressRuns();
      for (int i = 0; i < PROBES; i++) {
        Optional<Member> next = set.nextFree(last, taken);
        if (next.isEmpty()) {
          break;
        }
        IpAddress address = next.get().address();
        if (!Files.exists(directory.resolve(address.toString()), NOFOLLOW_LINKS)) {
          return next;
        }
        taken.add(address);
      }
    }
    return set.nextFree(last, index(directory).taken());
  }

  /** The whole index, in memory. */
  private LeaseIndex index(Path directory) throws IOException {
    if (index == null && table != null) {
      try {
        LeaseIndex all = table.load();
        changes.forEach(change -> change.applyTo(all));
        table = null;
        index = all;
        return all;
      } catch (IOException | IllegalArgumentException e) {
        rescan(directory);
      }
    }
    return Objects.requireNonNull(index, "one of the two is there");
  }

  /** Records that a file was created. */
  void added(String content, String name) {
    record(new Change(true, LeaseIndex.hash(content), name));
  }

  /** Records that a file was removed. */
  void removed(String content, String name) {
    record(new Change(false, LeaseIndex.hash(content), name));
  }

  private void record(Change change) {
    changes.add(change);
    if (index != null) {
      change.applyTo(index);
    }
  }

  /** The files differ from the index: it must not be used after the current call. */
  void invalidate() {
    worthKeeping = false;
  }

  /** Ends the changes: from now on the index is up to date until somebody changes a file. */
  void seal(Path directory) {
    if (!worthKeeping) {
      clear();
    } else if (stamp == null || !changes.isEmpty()) {
      try {
        stamp = DirectoryStamp.put(directory, random, clock);
        updateFile(stamp);
        changes.clear();
      } catch (IOException e) {
        clear();
      }
    }
  }

  private void updateFile(DirectoryStamp present) {
    if (file != null && leases() >= WORTH_A_FILE) {
      file.update(index, changes, present);
    } else if (file != null) {
      file.remove();
    }
    if (index == null) {
      table = file == null ? null : file.table();
      if (table == null) {
        clear();
      }
    }
  }

  private void clear() {
    close();
    index = new LeaseIndex();
    table = null;
    stamp = null;
    changes.clear();
  }

  @Override
  public void close() {
    if (file != null) {
      file.close();
    }
  }

  private int leases() {
    if (index != null || table == null) {
      return size();
    }
    int added = (int) changes.stream().filter(Change::added).count();
    return table.live() + added - (changes.size() - added);
  }

  /** Its memory use, counted in leases. */
  int size() {
    return index == null ? 0 : index.size();
  }
}
