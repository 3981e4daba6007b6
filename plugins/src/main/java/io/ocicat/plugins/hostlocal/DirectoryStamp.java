package io.ocicat.plugins.hostlocal;

import io.ocicat.netlink.linux.Fd.FileId;
import io.ocicat.netlink.linux.FileStat;
import io.ocicat.netlink.linux.ModificationTime;
import io.ocicat.netlink.linux.NetlinkException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;

/**
 * The timestamps of a directory, from which a later change of its entries can be detected.
 *
 * <p>The kernel sets both times of a directory, modification and change, to the current time with
 * every entry created, removed or renamed. But its clock ticks only every few milliseconds: two
 * changes within one tick look like one. So the modification time is not just read: {@link #put}
 * sets it to a random time in the past. From then on the two times differ, and the next change of
 * an entry makes them equal: it cannot bring this pair back, whatever the clock does. (Setting the
 * time by hand could, but only within the same tick, because that sets the change time.)
 *
 * @param identity distinguishes two directories, whatever their paths
 */
record DirectoryStamp(FileId identity, long modified, long changed) {
  private static final long SECOND = 1_000_000_000;

  /** 2^40 nanoseconds are 18 minutes: enough for stamps that never repeat. */
  private static final int RANDOM_BITS = 40;

  static DirectoryStamp of(Path directory) throws IOException {
    try {
      FileStat stat = FileStat.of(directory);
      return new DirectoryStamp(stat.id(), stat.modifiedNanos(), stat.changedNanos());
    } catch (NetlinkException e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  /**
   * Marks the directory with a stamp that it never had before. The exact time does not matter, so
   * the clock need not be right: whether the times are a stamp shows in the times themselves.
   */
  static DirectoryStamp put(Path directory, RandomGenerator random, Clock clock)
      throws IOException {
    long now = TimeUnit.MILLISECONDS.toNanos(clock.millis());
    long past = now - SECOND - (random.nextLong() >>> (64 - RANDOM_BITS));
    try {
      ModificationTime.set(directory, past);
    } catch (NetlinkException e) {
      throw new IOException(e.getMessage(), e);
    }
    DirectoryStamp stamp = of(directory);
    if (stamp.modified != past || !stamp.isDistinct()) {
      throw new IOException(
          directory + " is on a file system that rounds times, or was just changed by others");
    }
    return stamp;
  }

  /** Whether the next change of an entry will be detected. */
  boolean isDistinct() {
    return modified != changed;
  }
}
