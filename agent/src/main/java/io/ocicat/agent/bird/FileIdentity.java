package io.ocicat.agent.bird;

import io.ocicat.netlink.linux.Fd;
import io.ocicat.netlink.linux.FileStat;
import io.ocicat.netlink.linux.NetlinkException;
import java.nio.file.Path;
import java.util.Optional;

/** Tells whether a file is still the one that was there, with the same content. */
record FileIdentity(Fd.FileId id, long modifiedNanos, long changedNanos) {
  static Optional<FileIdentity> of(Path file) {
    try {
      FileStat stat = FileStat.of(file);
      return Optional.of(new FileIdentity(stat.id(), stat.modifiedNanos(), stat.changedNanos()));
    } catch (NetlinkException _) {
      return Optional.empty();
    }
  }

  /** The same apart from owner and permissions. */
  boolean isSameAs(FileIdentity other) {
    return id.equals(other.id) && modifiedNanos == other.modifiedNanos;
  }
}
