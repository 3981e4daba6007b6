package io.ocicat.base.json;

import java.io.StringWriter;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.PrettyPrinter;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.core.util.DefaultIndenter;
import tools.jackson.core.util.DefaultPrettyPrinter;
import tools.jackson.core.util.Separators;
import tools.jackson.databind.JsonNode;

/**
 * Writes trees without an ObjectMapper; characters that JSON allows in a string stay themselves.
 */
final class JsonPrinter {
  private static final JsonFactory FACTORY = new JsonFactory();

  static final ObjectWriteContext COMPACT = ObjectWriteContext.empty();

  static final ObjectWriteContext PRETTY =
      new ObjectWriteContext.Base() {
        @Override
        public PrettyPrinter getPrettyPrinter() {
          DefaultIndenter fourSpaces = new DefaultIndenter("    ", "\n");
          return new DefaultPrettyPrinter(
                  Separators.createDefaultInstance()
                      .withObjectNameValueSpacing(Separators.Spacing.AFTER)
                      .withObjectEmptySeparator("")
                      .withArrayEmptySeparator(""))
              .withObjectIndenter(fourSpaces)
              .withArrayIndenter(fourSpaces);
        }

        @Override
        public boolean hasPrettyPrinter() {
          return true;
        }
      };

  private static final byte[] REPLACEMENT = {(byte) 0xef, (byte) 0xbf, (byte) 0xbd};

  private JsonPrinter() {}

  static String print(JsonNode node, ObjectWriteContext context) {
    StringWriter out = new StringWriter();
    try (JsonGenerator generator = FACTORY.createGenerator(context, out)) {
      write(node, generator);
    }
    return out.toString();
  }

  private static void write(JsonNode node, JsonGenerator out) {
    switch (node.getNodeType()) {
      case OBJECT -> {
        out.writeStartObject();
        for (Map.Entry<String, JsonNode> member : node.properties()) {
          out.writeName(member.getKey());
          write(member.getValue(), out);
        }
        out.writeEndObject();
      }
      case ARRAY -> {
        out.writeStartArray();
        for (JsonNode item : node.values()) {
          write(item, out);
        }
        out.writeEndArray();
      }
      case STRING -> out.writeString(node.stringValue());
      case BOOLEAN -> out.writeBoolean(node.booleanValue());
      case NULL -> out.writeNull();
      case NUMBER -> {
        if (node.isIntegralNumber()) {
          out.writeNumber(node.bigIntegerValue());
        } else {
          out.writeNumber(node.decimalValue());
        }
      }
      case BINARY, MISSING, POJO ->
          throw new IllegalArgumentException(node.getNodeType() + " is not a JSON value");
    }
  }

  /**
   * Half a surrogate pair (from a \\ud800 in the input) becomes U+FFFD, as in Go, rather than '?'.
   */
  static byte[] utf8(String text) {
    try {
      ByteBuffer bytes =
          StandardCharsets.UTF_8
              .newEncoder()
              .onMalformedInput(CodingErrorAction.REPLACE)
              .replaceWith(REPLACEMENT)
              .encode(CharBuffer.wrap(text));
      byte[] exact = new byte[bytes.remaining()];
      bytes.get(exact);
      return exact;
    } catch (CharacterCodingException e) {
      throw new IllegalStateException("UTF-8 can encode every character", e);
    }
  }
}
