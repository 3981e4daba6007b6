package io.ocicat.datastore.json;

import io.ocicat.base.json.GoWriter;
import io.ocicat.base.json.JsonReader;
import io.ocicat.base.json.JsonReader.DuplicateKeys;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * JSON as a datastore holds it. Numbers keep every digit: an IPAM block's sequence numbers do not
 * fit into a double.
 */
public final class StoredJson {
  /** More than etcd lets a value have, or an API server a list that it pages. */
  private static final int MAX_LENGTH = 64 << 20;

  private static final JsonReader READER =
      new JsonReader(MAX_LENGTH, JsonReader.ANY_NUMBER_OF_TOKENS, DuplicateKeys.LAST_COUNTS);

  private StoredJson() {}

  /**
   * Reads one JSON object and nothing after it.
   *
   * @throws IllegalArgumentException saying where and why it is none
   */
  public static ObjectNode parseObject(String text) {
    return READER.parseObject(text);
  }

  /** One line, as Go's encoding/json writes it. */
  public static String compact(JsonNode node) {
    return GoWriter.write(node);
  }
}
