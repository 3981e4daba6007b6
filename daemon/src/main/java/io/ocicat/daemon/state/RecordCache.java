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
 * Caches a value derived from each record of a folder, valid as long as the record's file is
 * unchanged. A lookup costs one stat(2), because some questions are asked repeatedly about every
 * attachment of a machine.
 *
 * <p>A record is replaced by removing its file and making another, which may get the inode of the
 * previous one and, within a tick of the file system's clock, its times. Therefore a record is not
 * cached while its file is as young as that. For one thread.
 *
 * @param <T> the value derived from a record
 */
public final class RecordCache<T> {
  private final RecordFolder folder;
  private final Function<String, Optional<CallRecord>> records;
  private final Function<CallRecord, Optional<T>> taken;
  private final Clock clock;
  private final Map<String, Entry<T>> entries = new HashMap<>();

  private record Entry<T>(FileStat file, T value) {}

  /**
   * @param records reads a record of the folder; empty when the record is incomplete
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

  /** Empty when there is no complete record of this name, or it has no value. */
  public Optional<T> get(String name) {
    // In this order: a change after the stat must be visible to the next lookup.
    long now = clock.millis();
    FileStat file = folder.stat(name).orElse(null);
    Entry<T> before = entries.get(name);
    if (before != null && before.file().equals(file)) {
      return Optional.of(before.value());
    }
    entries.remove(name);
    Optional<T> value = records.apply(name).flatMap(taken);
    if (value.isPresent() && file != null && file.isSettled(now)) {
      entries.put(name, new Entry<>(file, value.get()));
    }
    return value;
  }

  /** Drops the entries of all other records. */
  public void forgetAllBut(Collection<String> names) {
    entries.keySet().retainAll(new HashSet<>(names));
  }
}
