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
 * What a directory looks like as long as no entry has come or gone.
 *
 * <p>The kernel sets both times of a directory, modification and change, to the present with every
 * entry made, removed or renamed. But its clock ticks every few milliseconds only: two changes
 * within one tick look like one. So the modification time is not just read: {@link #put} sets it to
 * a moment of the past chosen at random. From then on the two times differ, and the next change of
 * an entry makes them equal: it cannot bring this pair back, whatever the clock does. (Setting the
 * time by hand could, but only within the same tick, because that sets the change time.)
 *
 * @param identity tells two directories apart, however they are reached
 */
record DirectoryStamp(FileId identity, long modified, long changed) {
  private static final long SECOND = 1_000_000_000;

  /** 2^40 nanoseconds are 18 minutes: room for stamps that were never there before. */
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
   * Marks the directory with a stamp that it never had before. Which moment of the past it is does
   * not matter, so the clock may say what it likes: whether the times are a stamp is seen by
   * looking at them.
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

  /** Whether the next change of an entry will show. */
  boolean isDistinct() {
    return modified != changed;
  }
}
