package io.ocicat.daemon.address;

import io.ocicat.daemon.state.AttachmentKey;
import io.ocicat.daemon.state.CallRecord;
import io.ocicat.daemon.state.DaemonState;
import io.ocicat.daemon.state.PodName;
import io.ocicat.daemon.state.RecordCache;
import io.ocicat.daemon.state.RecordFolder;
import io.ocicat.daemon.state.RecordFolder.Kept;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * Lists the containers that any record mentions. Attachments are many and long-lived, so a {@link
 * RecordCache} holds what their records say; calls in progress and deferred DELs are few, and read
 * each time. For one thread.
 */
final class RecordedContainers {
  private final DaemonState state;
  private final RecordCache<Recorded> attached;

  /**
   * A container.
   *
   * @param id empty when the record has no valid id
   * @param pod as namespace/name; empty when the runtime did not pass it
   */
  record Recorded(Optional<String> id, String pod) {
    static Recorded of(CallRecord record) {
      return new Recorded(
          record.key().map(AttachmentKey::containerId), PodName.of(record.environment()));
    }
  }

  RecordedContainers(DaemonState state, Clock clock) {
    this(state, state.attachments()::read, clock);
  }

  /**
   * @param records reads the record of an attachment; empty when the record is incomplete
   */
  RecordedContainers(
      DaemonState state, Function<String, Optional<CallRecord>> records, Clock clock) {
    this.state = state;
    this.attached =
        new RecordCache<>(
            state.attachments(), records, record -> Optional.of(Recorded.of(record)), clock);
  }

  List<Recorded> list() {
    List<Recorded> found = new ArrayList<>();
    List<String> names = state.attachments().names();
    for (String name : names) {
      attached.get(name).ifPresent(found::add);
    }
    attached.forgetAllBut(names);
    for (RecordFolder folder : List.of(state.journal(), state.spool())) {
      folder.list().stream().map(Kept::record).map(Recorded::of).forEach(found::add);
    }
    return found;
  }
}
