package io.ocicat.conformance.lab;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * An error object that a plugin printed, in the specification's form.
 *
 * @param cniVersion empty when it has none, as with Go's plugins
 */
public record ErrorObject(long code, String msg, String details, String cniVersion) {

  static ErrorObject read(ObjectNode json, String actual) {
    JsonNode code = json.get("code");
    if (code == null || !code.isIntegralNumber() || code.asLong() < 0) {
      throw new Mismatch("an error object whose \"code\" is a number from 0", actual);
    }
    JsonNode msg = json.get("msg");
    if (msg == null || !msg.isString() || msg.asString().isBlank()) {
      throw new Mismatch("an error object whose \"msg\" is a text that is not empty", actual);
    }
    return new ErrorObject(
        code.asLong(),
        msg.asString(),
        text(json, "details", actual),
        text(json, "cniVersion", actual));
  }

  private static String text(ObjectNode json, String member, String actual) {
    JsonNode value = json.get(member);
    if (value == null) {
      return "";
    }
    if (!value.isString()) {
      throw new Mismatch("an error object whose \"" + member + "\", if any, is a text", actual);
    }
    return value.asString();
  }

  public boolean mentions(String word) {
    return msg.contains(word) || details.contains(word);
  }
}
