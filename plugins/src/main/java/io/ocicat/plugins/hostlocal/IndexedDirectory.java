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
 * A network's directory with an index of it.
 *
 * <p>The files are the truth, and the Go plugin changes them as it likes: it knows nothing of an
 * index. What it does know is the lock, so nothing changes between {@link #open} and {@link
 * #settle}, which are called by the lock's holder. The Go plugin reads every file of the directory
 * for every call. Here a call does the same work whether ten addresses are leased or ten thousand:
 *
 * <ol>
 *   <li>{@code open} compares the directory's {@link DirectoryStamp} with the one that was put when
 *       the index was last right. If it is still there, no file came or went since, by anybody's
 *       hand, and the index in memory counts. Else the one in the {@link IndexFile} counts, if it
 *       is of the present stamp: then another process of ours was here. It stays where it is, and
 *       what is asked of it is read there; free addresses are found by looking whether the next few
 *       are taken, and only behind a long run of taken ones all of it is read. Else some other
 *       program was, or one of ours was killed, and every file is read ({@link LeaseScan}).
 *   <li>Every change to the files is made in the index as well.
 *   <li>{@code settle} puts a new stamp and remembers it, in memory and at the end of the index
 *       file. A process killed anywhere in between leaves a directory without a stamp, or with one
 *       that nobody knows: the next to come reads the files.
 * </ol>
 *
 * <p>What can go wrong when the index is wrong after all, because someone changed files without the
 * lock just while we had it, or wrote over one in place? No address is leased twice, since a lease
 * is a file that is made only if there is none; nothing is released that is not the owner's, since
 * the file is read first. An address could be passed over; so before a range is said to be full the
 * files are read once more. GC reads them in any case.
 *
 * <p>Not thread-safe: whoever has the {@link LeaseCache.Turn} uses it.
 */
final class IndexedDirectory implements AutoCloseable {
  /** With fewer files than this, reading them all takes no longer than a JVM's first steps. */
  private static final int WORTH_A_FILE = 500;

  /** How many addresses are looked at one by one before the index is read. */
  private static final int PROBES = 32;

  /**
   * File systems that set a directory's times as described, and show them at once to everybody, by
   * the numbers of statfs(2): ext2 to ext4, xfs, btrfs, f2fs, tmpfs, overlay. One that comes over a
   * network does not: it remembers times for a while.
   */
  private static final Set<Long> TRUSTED =
      Set.of(0xEF53L, 0x58465342L, 0x9123683EL, 0xF2F52010L, 0x01021994L, 0x794C7630L);

  private final RandomGenerator random;
  private final Clock clock;
  private final List<Change> changes = new ArrayList<>();

  /** Null while the one in the file is enough; only one of the two is null. */
  private @Nullable LeaseIndex index = new LeaseIndex();

  private @Nullable IndexTable table;

  /** The directory's as long as the index is right; null while it has none. */
  private @Nullable DirectoryStamp stamp;

  /** Null until the directory was opened. */
  private @Nullable IndexFile file;

  private boolean worthKeeping;

  IndexedDirectory(RandomGenerator random, Clock clock) {
    this.random = random;
    this.clock = clock;
  }

  /**
   * Makes the index that of the directory as it is now.
   *
   * @return whether it came from the files themselves rather than from what was known of them
   */
  boolean open(Path directory) throws IOException {
    DirectoryStamp present = DirectoryStamp.of(directory);
    if (present.equals(stamp)) {
      return false;
    }
    forget();
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
    forget();
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
            if (change.came()) {
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

  /** Whether an address is taken as far as the index knows. */
  boolean isTaken(Path directory, IpAddress address) throws IOException {
    return index(directory).taken().contains(address);
  }

  /** The address of the set that is next, without reserving it. */
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

  /** All of it, in memory. */
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

  /** A file was made. */
  void came(String content, String name) {
    record(new Change(true, LeaseIndex.hash(content), name));
  }

  /** A file was removed. */
  void went(String content, String name) {
    record(new Change(false, LeaseIndex.hash(content), name));
  }

  private void record(Change change) {
    changes.add(change);
    if (index != null) {
      change.applyTo(index);
    }
  }

  /** The files are not what the index says: nobody may rely on it after the present call. */
  void distrust() {
    worthKeeping = false;
  }

  /** All changes are made: from now on the index is right until somebody changes a file. */
  void settle(Path directory) {
    if (!worthKeeping) {
      forget();
    } else if (stamp == null || !changes.isEmpty()) {
      try {
        stamp = DirectoryStamp.put(directory, random, clock);
        updateFile(stamp);
        changes.clear();
      } catch (IOException e) {
        forget();
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
        forget();
      }
    }
  }

  private void forget() {
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
    int came = (int) changes.stream().filter(Change::came).count();
    return table.live() + came - (changes.size() - came);
  }

  /** How much memory it takes, counted in leases. */
  int size() {
    return index == null ? 0 : index.size();
  }
}
