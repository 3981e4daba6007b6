package io.ocicat.datastore.kv;

import io.ocicat.base.json.Json;
import io.ocicat.datastore.error.CorruptException;
import io.ocicat.datastore.error.ExistsException;
import io.ocicat.datastore.json.StoredJson;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * A dump of a store's keys and values as text, one JSON object per line: a header, then the keys in
 * order, then a line with their number, so that a truncated dump is not mistaken for a whole one.
 * Leases are not included.
 */
public final class KeyValueDump {
  private static final String FORMAT = "ocicat-datastore";
  private static final int VERSION = 1;
  private static final int PAGE = 500;

  /** etcd accepts requests of 1.5 MiB. */
  private static final int MAX_TOGETHER = 1 << 20;

  private KeyValueDump() {}

  /**
   * Writes one snapshot of everything under {@code prefix}.
   *
   * @return the number of keys
   */
  public static int write(KeyValueStore store, String prefix, Writer out) throws IOException {
    RangeQuery query = RangeQuery.all(prefix).limit(PAGE);
    KeyValuePage page = store.range(query);
    line(
        out,
        Json.object()
            .put("format", FORMAT)
            .put("version", VERSION)
            .put("revision", page.revision()));
    int count = 0;
    while (true) {
      for (KeyValue entry : page.entries()) {
        line(out, Json.object().put("key", entry.key()).put("value", entry.value()));
      }
      count += page.entries().size();
      if (!page.more()) {
        line(out, Json.object().put("keys", count));
        return count;
      }
      query = query.nextPage(page);
      page = store.range(query);
    }
  }

  private static void line(Writer out, ObjectNode object) throws IOException {
    out.write(StoredJson.compact(object));
    out.write('\n');
  }

  /**
   * Loads a dump into a store that has none of its keys. The whole dump is read and checked first;
   * then it is written in several transactions, so other users of the store see it grow.
   *
   * @return the number of keys
   * @throws CorruptException when the dump is incomplete or malformed; nothing is written then
   * @throws ExistsException when the store has one of its keys; nothing is written then, unless the
   *     key was created concurrently
   */
  public static int read(BufferedReader in, KeyValueStore store) throws IOException {
    List<Change.Put> puts = parse(in);
    for (Change.Put put : puts) {
      if (store.get(put.key()).isPresent()) {
        throw exists(put.key());
      }
    }
    List<Change.Put> together = new ArrayList<>();
    int size = 0;
    for (Change.Put put : puts) {
      int length = put.key().length() + put.value().length();
      boolean full = size + length > MAX_TOGETHER || together.size() == Transaction.MAX_OPERATIONS;
      if (full && !together.isEmpty()) {
        create(store, together);
        together.clear();
        size = 0;
      }
      together.add(put);
      size += length;
    }
    create(store, together);
    return puts.size();
  }

  private static void create(KeyValueStore store, List<Change.Put> puts) {
    List<Condition> absent = puts.stream().map(put -> Condition.absent(put.key())).toList();
    if (store.commit(new Transaction(absent, List.copyOf(puts)))
        instanceof TransactionOutcome.Refused refused) {
      throw exists(refused.current().keySet().iterator().next());
    }
  }

  private static ExistsException exists(String key) {
    return new ExistsException(
        "the dump cannot be imported: %s exists already, import into an empty datastore"
            .formatted(key));
  }

  private static List<Change.Put> parse(BufferedReader in) throws IOException {
    ObjectNode head = object(in.readLine(), 1);
    if (!head.path("format").asString("").equals(FORMAT)
        || head.path("version").asInt(0) != VERSION) {
      throw new CorruptException(
          "this is not a dump of a datastore: its first line must name format %s, version %d"
              .formatted(FORMAT, VERSION));
    }
    List<Change.Put> puts = new ArrayList<>();
    while (true) {
      int number = puts.size() + 2;
      ObjectNode line = object(in.readLine(), number);
      if (line.has("keys")) {
        if (line.path("keys").asInt(-1) != puts.size()) {
          throw new CorruptException(
              "the dump is damaged: it has %d keys and should have %s"
                  .formatted(puts.size(), line.path("keys")));
        }
        return puts;
      }
      if (!line.path("key").isString() || !line.path("value").isString()) {
        throw new CorruptException("line %d of the dump has no key and value".formatted(number));
      }
      puts.add(new Change.Put(line.path("key").stringValue(), line.path("value").stringValue()));
    }
  }

  private static ObjectNode object(@Nullable String line, int number) {
    if (line == null) {
      throw new CorruptException(
          "the dump ends too early, after line %d: create it again".formatted(number - 1));
    }
    try {
      return StoredJson.parseObject(line);
    } catch (IllegalArgumentException e) {
      throw new CorruptException("line %d of the dump is %s".formatted(number, e.getMessage()), e);
    }
  }
}
