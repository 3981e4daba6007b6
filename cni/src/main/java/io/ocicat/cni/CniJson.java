package io.ocicat.cni;

import io.ocicat.base.json.InvalidFieldsException;
import io.ocicat.base.json.JsonFields;
import io.ocicat.base.json.JsonReader;
import io.ocicat.base.json.JsonReader.DuplicateKeys;
import io.ocicat.base.json.JsonSyntaxException;
import java.util.function.Function;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Reads the JSON documents of CNI: the one place where what is wrong with one becomes the
 * specification's error. The cause tells position and fields.
 */
public final class CniJson {
  /** More than any network configuration or result needs. */
  public static final int MAX_BYTES = 4 << 20;

  private static final JsonReader READER =
      new JsonReader(MAX_BYTES, 250_000, DuplicateKeys.REFUSED);

  private CniJson() {}

  /**
   * Reads one JSON value.
   *
   * @throws CniException with code 6, caused by a {@link JsonSyntaxException}
   */
  public static JsonNode parse(byte[] bytes) {
    try {
      return READER.parse(bytes);
    } catch (JsonSyntaxException e) {
      throw refusal(e);
    }
  }

  /** Reads one JSON value; see {@link #parse(byte[])}. */
  public static JsonNode parse(String text) {
    try {
      return READER.parse(text);
    } catch (JsonSyntaxException e) {
      throw refusal(e);
    }
  }

  /**
   * Reads the fields of a document.
   *
   * @throws CniException with code 7, naming every bad field, caused by an {@link
   *     InvalidFieldsException}
   */
  public static <T> T read(ObjectNode document, Function<JsonFields, T> reader) {
    try {
      return JsonFields.read(document, reader);
    } catch (InvalidFieldsException e) {
      throw new CniException(ErrorCode.INVALID_NETWORK_CONFIG, e.summary(), e.details(), e);
    }
  }

  private static CniException refusal(JsonSyntaxException e) {
    return new CniException(ErrorCode.DECODING_FAILURE, String.valueOf(e.getMessage()), e);
  }
}
