package io.ocicat.datastore.etcd;

import io.ocicat.base.protobuf.ProtobufWriter;
import io.ocicat.datastore.kv.Change;
import io.ocicat.datastore.kv.Condition;
import java.util.List;

/** The requests to etcd; the field numbers are in its rpc.proto. */
sealed interface EtcdRequest {
  void write(ProtobufWriter out);

  /**
   * KV/Range.
   *
   * @param limit 0 for all
   * @param revision 0 for now
   * @param minModified only keys changed at or after this revision
   * @param part which part of the entries
   */
  record Range(KeyRange keys, long limit, long revision, long minModified, Part part)
      implements EtcdRequest {
    /** What the answer holds. */
    enum Part {
      ENTRIES,
      KEYS,
      COUNT
    }

    static Range of(KeyRange keys) {
      return new Range(keys, 0, 0, 0, Part.ENTRIES);
    }

    @Override
    public void write(ProtobufWriter out) {
      keys.write(out);
      out.number(3, limit)
          .number(4, revision)
          .flag(8, part == Part.KEYS)
          .flag(9, part == Part.COUNT)
          .number(10, minModified);
    }
  }

  /**
   * KV/Txn.
   *
   * @param conditions must all hold for the changes; otherwise their keys are read
   * @param reads executed with the changes
   */
  record Txn(List<Condition> conditions, List<Change> changes, List<Range> reads)
      implements EtcdRequest {
    private static final int EQUAL = 0;
    private static final int MOD_REVISION = 2;

    @Override
    public void write(ProtobufWriter out) {
      for (Condition condition : conditions) {
        out.message(
            1,
            compare ->
                compare
                    .number(1, EQUAL)
                    .number(2, MOD_REVISION)
                    .text(3, condition.key())
                    .chosenNumber(6, condition.modified()));
      }
      for (Change change : changes) {
        out.message(2, operation -> write(change, operation));
      }
      for (Range read : reads) {
        out.message(2, operation -> operation.message(1, read::write));
      }
      for (Condition condition : conditions) {
        Range read = Range.of(KeyRange.one(condition.key()));
        out.message(3, operation -> operation.message(1, read::write));
      }
    }

    private static void write(Change change, ProtobufWriter operation) {
      switch (change) {
        case Change.Put(String key, String value, long lease) ->
            operation.message(2, put -> put.text(1, key).text(2, value).number(3, lease));
        case Change.Delete(String key) ->
            // Requests the deleted value.
            operation.message(3, delete -> delete.text(1, key).flag(3, true));
      }
    }
  }

  /** Watch/Watch: the one request of each stream. */
  record Watch(KeyRange keys, long from) implements EtcdRequest {
    @Override
    public void write(ProtobufWriter out) {
      out.message(
          1,
          create -> {
            keys.write(create);
            // With progress notifications, previous values, and fragments of bounded size.
            create.number(3, from).flag(4, true).flag(6, true).flag(8, true);
          });
    }
  }

  /** Lease/LeaseGrant; etcd chooses the number. */
  record LeaseGrant(long seconds) implements EtcdRequest {
    @Override
    public void write(ProtobufWriter out) {
      out.number(1, seconds);
    }
  }

  /** Lease/LeaseRevoke and Lease/LeaseKeepAlive. */
  record Lease(long id) implements EtcdRequest {
    @Override
    public void write(ProtobufWriter out) {
      out.number(1, id);
    }
  }

  /** Auth/Authenticate. */
  record Authenticate(String name, String password) implements EtcdRequest {
    @Override
    public void write(ProtobufWriter out) {
      out.text(1, name).text(2, password);
    }
  }

  /** Maintenance/Status. */
  record Status() implements EtcdRequest {
    @Override
    public void write(ProtobufWriter out) {}
  }
}
