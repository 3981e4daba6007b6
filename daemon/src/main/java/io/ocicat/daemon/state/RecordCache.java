package io.ocicat.daemon.state;

import io.ocicat.netlink.linux.FileStat;
import java.time.Clock;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * What was taken from a folder's records, believed as long as their files look the same: a stat(2)
 * each, for what is asked over and over of as many as a machine has.
 *
 * <p>A record is replaced by removing its file and making another, which may get the inode of the
 * one before and, within a tick of the file system's clock, its times. Therefore a record is not
 * remembered while its file is as young as that. For one thread.
 *
 * @param <T> what is taken from a record
 */
public final class RecordCache<T> {
  private final RecordFolder folder;
  private final Function<String, Optional<CallRecord>> records;
  private final Function<CallRecord, Optional<T>> taken;
  private final Clock clock;
  private final Map<String, Known<T>> known = new HashMap<>();

  private record Known<T>(FileStat file, T value) {}

  /**
   * @param records reads a record of the folder; empty when it is not whole
   * @param taken empty when the record is to be read again the next time
   */
  public RecordCache(
      RecordFolder folder,
      Function<String, Optional<CallRecord>> records,
      Function<CallRecord, Optional<T>> taken,
      Clock clock) {
    this.folder = folder;
    this.records = records;
    this.taken = taken;
    this.clock = clock;
  }

  /** Empty when there is no whole record of this name, or nothing was taken from it. */
  public Optional<T> get(String name) {
    // In this order: what changes after it was looked at must make a difference to the next look.
    long now = clock.millis();
    FileStat file = folder.stat(name).orElse(null);
    Known<T> before = known.get(name);
    if (before != null && before.file().equals(file)) {
      return Optional.of(before.value());
    }
    known.remove(name);
    Optional<T> value = records.apply(name).flatMap(taken);
    if (value.isPresent() && file != null && file.isSettled(now)) {
      known.put(name, new Known<>(file, value.get()));
    }
    return value;
  }

  /** Others are gone. */
  public void forgetAllBut(Collection<String> names) {
    known.keySet().retainAll(new HashSet<>(names));
  }
}
