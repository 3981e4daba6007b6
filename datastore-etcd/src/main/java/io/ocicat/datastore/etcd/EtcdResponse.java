package io.ocicat.datastore.etcd;

import io.ocicat.base.protobuf.ProtobufReader;
import io.ocicat.datastore.kv.KeyValue;
import io.ocicat.datastore.kv.KeyValueEvent;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The responses of etcd; the field numbers are in its rpc.proto. */
sealed interface EtcdResponse {

  /** Reads the revision in every response's first field. */
  static long readHeader(ProtobufReader header) {
    long revision = 0;
    while (header.next()) {
      if (header.field() == 3) {
        revision = header.number();
      }
    }
    return revision;
  }

  /**
   * KV/Range.
   *
   * @param revision the store's, not the requested one
   * @param count the number of all keys of the range, whatever the limit
   */
  record Range(long revision, List<EtcdEntry> entries, boolean more, long count)
      implements EtcdResponse {
    static Range read(ProtobufReader in) {
      long revision = 0;
      List<EtcdEntry> entries = new ArrayList<>();
      boolean more = false;
      long count = 0;
      while (in.next()) {
        switch (in.field()) {
          case 1 -> revision = readHeader(in.message());
          case 2 -> entries.add(EtcdEntry.read(in.message()));
          case 3 -> more = in.flag();
          case 4 -> count = in.number();
          default -> {}
        }
      }
      return new Range(revision, entries, more, count);
    }

    /** The entries whose keys are text. */
    List<KeyValue> values() {
      return entries.stream().map(EtcdEntry::value).filter(Objects::nonNull).toList();
    }
  }

  /**
   * KV/Txn.
   *
   * @param ranges the responses to its reads
   * @param deleted the deleted values
   */
  record Txn(long revision, boolean succeeded, List<Range> ranges, List<KeyValue> deleted)
      implements EtcdResponse {
    static Txn read(ProtobufReader in) {
      long revision = 0;
      boolean succeeded = false;
      List<Range> ranges = new ArrayList<>();
      List<KeyValue> deleted = new ArrayList<>();
      while (in.next()) {
        switch (in.field()) {
          case 1 -> revision = readHeader(in.message());
          case 2 -> succeeded = in.flag();
          case 3 -> readOperation(in.message(), ranges, deleted);
          default -> {}
        }
      }
      return new Txn(revision, succeeded, ranges, deleted);
    }

    private static void readOperation(
        ProtobufReader in, List<Range> ranges, List<KeyValue> deleted) {
      while (in.next()) {
        switch (in.field()) {
          case 1 -> ranges.add(Range.read(in.message()));
          case 3 -> readDeleted(in.message(), deleted);
          default -> {}
        }
      }
    }

    private static void readDeleted(ProtobufReader in, List<KeyValue> deleted) {
      while (in.next()) {
        if (in.field() == 3) {
          KeyValue value = EtcdEntry.read(in.message()).value();
          if (value != null) {
            deleted.add(value);
          }
        }
      }
    }
  }

  /**
   * Watch/Watch.
   *
   * @param created the watch is set up
   * @param canceled the watch is over
   * @param compacted the oldest available revision, when the watch ended because of compaction;
   *     otherwise 0
   * @param reason why it was canceled, in etcd's words
   * @param fragment the next response continues this one
   */
  record Watch(
      long revision,
      boolean created,
      boolean canceled,
      long compacted,
      String reason,
      boolean fragment,
      List<KeyValueEvent> events)
      implements EtcdResponse {
    static Watch read(ProtobufReader in) {
      long revision = 0;
      boolean created = false;
      boolean canceled = false;
      long compacted = 0;
      String reason = "";
      boolean fragment = false;
      List<KeyValueEvent> events = new ArrayList<>();
      while (in.next()) {
        switch (in.field()) {
          case 1 -> revision = readHeader(in.message());
          case 3 -> created = in.flag();
          case 4 -> canceled = in.flag();
          case 5 -> compacted = in.number();
          case 6 -> reason = in.text();
          case 7 -> fragment = in.flag();
          case 11 -> readEvent(in.message(), events);
          default -> {}
        }
      }
      return new Watch(revision, created, canceled, compacted, reason, fragment, events);
    }

    private static void readEvent(ProtobufReader in, List<KeyValueEvent> events) {
      boolean deleted = false;
      KeyValue entry = null;
      KeyValue last = null;
      while (in.next()) {
        switch (in.field()) {
          case 1 -> deleted = in.flag();
          case 2 -> entry = EtcdEntry.read(in.message()).value();
          case 3 -> last = EtcdEntry.read(in.message()).value();
          default -> {}
        }
      }
      if (entry != null) {
        events.add(event(deleted, entry, last));
      }
    }

    private static KeyValueEvent event(boolean deleted, KeyValue entry, @Nullable KeyValue last) {
      return deleted
          ? new KeyValueEvent.Deleted(entry.key(), entry.modified(), last)
          : new KeyValueEvent.Put(entry);
    }
  }

  /**
   * The response to all lease requests.
   *
   * @param seconds how long it lasts from now; not positive when it has ended
   */
  record Lease(long id, long seconds) implements EtcdResponse {
    static Lease read(ProtobufReader in) {
      long id = 0;
      long seconds = 0;
      while (in.next()) {
        switch (in.field()) {
          case 2 -> id = in.number();
          case 3 -> seconds = in.number();
          default -> {}
        }
      }
      return new Lease(id, seconds);
    }
  }

  /** Auth/Authenticate. */
  record Authenticated(String token) implements EtcdResponse {
    static Authenticated read(ProtobufReader in) {
      String token = "";
      while (in.next()) {
        if (in.field() == 2) {
          token = in.text();
        }
      }
      return new Authenticated(token);
    }
  }

  /**
   * Maintenance/Status.
   *
   * @param leader 0 when the member knows of none
   * @param learner whether the member is a non-voting learner
   */
  record Status(long leader, boolean learner) implements EtcdResponse {
    static Status read(ProtobufReader in) {
      long leader = 0;
      boolean learner = false;
      while (in.next()) {
        switch (in.field()) {
          case 4 -> leader = in.number();
          case 10 -> learner = in.flag();
          default -> {}
        }
      }
      return new Status(leader, learner);
    }
  }
}
