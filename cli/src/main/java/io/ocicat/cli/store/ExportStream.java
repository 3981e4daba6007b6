package io.ocicat.cli.store;

import io.ocicat.base.json.Json;
import io.ocicat.base.yaml.YamlReader;
import io.ocicat.base.yaml.YamlWriter;
import io.ocicat.cli.resource.CommandException;
import io.ocicat.cli.resource.RejectedException;
import io.ocicat.cli.resource.ResourceForm;
import io.ocicat.cli.terminal.Progress;
import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.error.InvalidException;
import io.ocicat.datastore.json.StoredJson;
import io.ocicat.datastore.kv.KeyValue;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import java.io.IOException;
import java.io.Writer;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Reads and writes a datastore's contents as documents. The last one holds their number, so that a
 * truncated stream is detected; without it the documents are what {@code ocicat apply} reads.
 */
final class ExportStream {
  private static final String API_VERSION = "ocicat.io/v1";
  private static final String END = "EndOfExport";

  private ExportStream() {}

  /** Returns how many there were. */
  static Written write(Datastore datastore, boolean json, Writer out, Progress progress)
      throws IOException {
    int count = 0;
    for (Kind kind : DatastoreContents.kinds()) {
      for (Resource resource : DatastoreContents.of(datastore, kind)) {
        document(ResourceForm.document(resource.withRevision("")), json, out);
        count++;
        progress.step();
      }
    }
    RawKeys raw = RawKeys.of(datastore);
    for (ObjectNode key : raw.documents(API_VERSION)) {
      document(key, json, out);
    }
    ObjectNode end = Json.object().put("apiVersion", API_VERSION).put("kind", END);
    document(end.put("resources", count).put("rawKeys", raw.count()), json, out);
    return new Written(count, raw);
  }

  /** How many resources were written, and what else. */
  record Written(int resources, RawKeys raw) {}

  /** The contents of an export. */
  record Exported(List<Resource> resources, RawKeys raw) {
    Exported {
      resources = List.copyOf(resources);
    }
  }

  private static void document(JsonNode document, boolean json, Writer out) throws IOException {
    out.write(json ? StoredJson.compact(document) + "\n" : "---\n" + YamlWriter.write(document));
  }

  /**
   * Reads all of it.
   *
   * @throws CommandException when it is not a complete export
   * @throws RejectedException naming every invalid document
   */
  static Exported read(String text) {
    List<JsonNode> documents = documents(text);
    JsonNode end = documents.isEmpty() ? Json.object() : documents.getLast();
    if (!end.path("kind").asString("").equals(END)) {
      throw new CommandException(
          "this is not a whole export: its last document must be of kind %s; to apply single documents use \"ocicat apply\""
              .formatted(END));
    }
    int wanted = end.path("resources").asInt(-1) + end.path("rawKeys").asInt(0);
    if (wanted != documents.size() - 1) {
      throw new CommandException(
          "the export is damaged: it has %d resources and should have %d"
              .formatted(documents.size() - 1, wanted));
    }
    List<KeyValue> raw = new ArrayList<>();
    List<Resource> resources = new ArrayList<>();
    List<String> problems = new ArrayList<>();
    for (int i = 0; i < documents.size() - 1; i++) {
      try {
        if (!(documents.get(i) instanceof ObjectNode object)) {
          throw new InvalidException("not a resource");
        }
        if (RawKeys.isOne(object)) {
          raw.add(RawKeys.parse(object));
        } else {
          resources.add(ResourceForm.parse(object).withRevision(""));
        }
      } catch (InvalidException e) {
        problems.add("document %d: %s".formatted(i + 1, e.getMessage()));
      }
    }
    if (!problems.isEmpty()) {
      throw new RejectedException(problems);
    }
    return new Exported(resources, new RawKeys(raw));
  }

  private static List<JsonNode> documents(String text) {
    try {
      if (text.startsWith("{")) {
        List<JsonNode> lines = new ArrayList<>();
        text.lines()
            .filter(line -> !line.isBlank())
            .forEach(line -> lines.add(StoredJson.parseObject(line)));
        return lines;
      }
      return YamlReader.readAll(text).stream().map(YamlReader.Document::value).toList();
    } catch (IllegalArgumentException e) {
      throw new CommandException("the export cannot be read: " + e.getMessage(), e);
    }
  }
}
