package io.ocicat.sandbox.files;

import io.ocicat.netlink.linux.Errno;
import io.ocicat.netlink.linux.FileStat;
import io.ocicat.netlink.linux.NetlinkException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * Keeps what was read from files for as long as the files stay as they are, so that lists can be
 * asked for each second. The files remain the truth: other processes may change them at any time,
 * which their times and inodes show. Thread-safe.
 */
public final class CachedFiles<T> {
  private record Entry<T>(FileStat stat, T value) {}

  private final Map<Path, Entry<T>> entries = new ConcurrentHashMap<>();

  /** Returns what the file contains; empty when there is none. */
  public Optional<T> get(Path file, Function<byte[], T> reader) {
    FileStat stat;
    try {
      stat = FileStat.of(file);
    } catch (NetlinkException e) {
      if (e.is(Errno.ENOENT) || e.is(Errno.ENOTDIR)) {
        entries.remove(file);
        return Optional.empty();
      }
      throw e;
    }
    Entry<T> known = entries.get(file);
    if (known != null && known.stat().equals(stat)) {
      return Optional.of(known.value());
    }
    // A file that was changed just now may change again without showing it.
    boolean settled = stat.isSettled(System.currentTimeMillis());
    Optional<T> value = StateFiles.read(file).map(reader);
    if (settled && value.isPresent()) {
      entries.put(file, new Entry<>(stat, value.get()));
    } else {
      entries.remove(file);
    }
    return value;
  }

  /** Forgets all other files. */
  public void retain(Collection<Path> files) {
    if (entries.size() > files.size()) {
      entries.keySet().retainAll(files);
    }
  }
}
