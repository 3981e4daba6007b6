package io.ocicat.cli.resource;

import io.ocicat.datastore.json.StoredJson;
import java.util.Iterator;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.StringNode;

/** Prints JSON like calicoctl: indented by two, members in the order of the document. */
final class PrettyJson {
  private PrettyJson() {}

  static String write(JsonNode value) {
    StringBuilder out = new StringBuilder();
    append(out, value, "\n");
    return out.toString();
  }

  private static void append(StringBuilder out, JsonNode value, String line) {
    if (!value.isContainer() || value.isEmpty()) {
      out.append(StoredJson.compact(value));
      return;
    }
    String inner = line + "  ";
    if (value.isArray()) {
      out.append('[');
      for (Iterator<JsonNode> items = value.values().iterator(); items.hasNext(); ) {
        out.append(inner);
        append(out, items.next(), inner);
        out.append(items.hasNext() ? "," : line + "]");
      }
      return;
    }
    out.append('{');
    for (Iterator<Map.Entry<String, JsonNode>> members = value.properties().iterator();
        members.hasNext(); ) {
      Map.Entry<String, JsonNode> member = members.next();
      out.append(inner)
          .append(StoredJson.compact(StringNode.valueOf(member.getKey())))
          .append(": ");
      append(out, member.getValue(), inner);
      out.append(members.hasNext() ? "," : line + "}");
    }
  }
}
