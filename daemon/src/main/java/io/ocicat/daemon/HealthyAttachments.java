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
 * The attachments that need no upkeep: their record is whole and of this start of the machine, and
 * their namespace is there, or there never was one.
 *
 * <p>That is looked after once a minute, for as many as a machine has. So what a record says is
 * {@link RecordCache}; with that the price is a stat(2) of the file and one of the namespace. For
 * one thread.
 */
final class HealthyAttachments {
  private final RecordCache<Place> remembered;

  /** Where to look whether what was sound once still is. */
  private record Place(NamespaceId netns, String netnsPath) {
    boolean isSound() {
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
   * @param records reads a record of the folder; empty when it is not whole
   */
  HealthyAttachments(
      RecordFolder folder,
      Function<String, Optional<CallRecord>> records,
      Predicate<CallRecord> isSound,
      Clock clock) {
    this.remembered =
        new RecordCache<>(
            folder,
            records,
            record ->
                isSound.test(record)
                    ? Optional.of(new Place(record.netns(), record.netnsPath()))
                    : Optional.empty(),
            clock);
  }

  boolean contains(String name) {
    return remembered.get(name).filter(Place::isSound).isPresent();
  }

  /** Others are gone. */
  void forgetAllBut(Collection<String> names) {
    remembered.forgetAllBut(names);
  }
}
