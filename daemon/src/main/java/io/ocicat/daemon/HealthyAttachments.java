package io.ocicat.daemon;

import io.ocicat.daemon.call.CallRunner;
import io.ocicat.daemon.state.CallRecord;
import io.ocicat.daemon.state.DaemonState;
import io.ocicat.daemon.state.NamespaceId;
import io.ocicat.daemon.state.RecordCache;
import io.ocicat.daemon.state.RecordFolder;
import java.time.Clock;
import java.util.Collection;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Finds the attachments that need no cleanup: their record is complete and from the current boot,
 * and their namespace exists, or they never had one.
 *
 * <p>This check runs once a minute over every attachment of the machine. A {@link RecordCache}
 * holds what the records say, so that each costs one stat(2) of its file and one of its namespace.
 * For one thread.
 */
final class HealthyAttachments {
  private final RecordCache<Location> cache;

  /** What to compare to find out whether a healthy attachment still is. */
  private record Location(NamespaceId netns, String netnsPath) {
    boolean isHealthy() {
      return netns.isNone() || netns.isStillAt(netnsPath);
    }
  }

  static HealthyAttachments of(DaemonState state, CallRunner runner, Clock clock) {
    RecordFolder folder = state.attachments();
    return new HealthyAttachments(
        folder,
        folder::read,
        record ->
            record.boot().equals(state.boot())
                && (record.netns().isNone() || runner.namespaceIsThere(record)),
        clock);
  }

  /**
   * @param records reads a record of the folder; empty when the record is incomplete
   */
  HealthyAttachments(
      RecordFolder folder,
      Function<String, Optional<CallRecord>> records,
      Predicate<CallRecord> isHealthy,
      Clock clock) {
    this.cache =
        new RecordCache<>(
            folder,
            records,
            record ->
                isHealthy.test(record)
                    ? Optional.of(new Location(record.netns(), record.netnsPath()))
                    : Optional.empty(),
            clock);
  }

  boolean contains(String name) {
    return cache.get(name).filter(Location::isHealthy).isPresent();
  }

  /** Drops the cached entries of all other records. */
  void forgetAllBut(Collection<String> names) {
    cache.forgetAllBut(names);
  }
}
