package io.ocicat.cli.resource;

import io.ocicat.base.json.Json;
import io.ocicat.base.yaml.YamlWriter;
import io.ocicat.cli.terminal.TextTable;
import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.error.DatastoreException;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Prints resources of one kind in one format. */
final class Printer {
  private static final String BOLD = "\u001b[1m";
  private static final String PLAIN = "\u001b[0m";
  private static final String DEFAULT_AS = "64512";

  private final Format format;
  private final boolean showNamespace;
  private final boolean colours;
  private final Datastore datastore;

  /**
   * @param showNamespace whether the user has asked for other namespaces than the usual one
   */
  Printer(Format format, boolean showNamespace, boolean colours, Datastore datastore) {
    this.format = format;
    this.showNamespace = showNamespace;
    this.colours = colours;
    this.datastore = datastore;
  }

  /** The columns of a kind's table. */
  List<Columns.Column> columns(Kind kind) {
    return switch (format) {
      case Format.CustomColumns custom -> Columns.named(kind, custom.names());
      case Format.Rows rows -> {
        List<Columns.Column> columns = new ArrayList<>();
        if (kind.isNamespaced() && showNamespace) {
          columns.add(Columns.namespace());
        }
        columns.addAll(rows.wide() ? Columns.wide(kind) : Columns.few(kind));
        yield columns;
      }
      case Format.Yaml _, Format.PrintedJson _, Format.Name _, Format.Template _ -> List.of();
    };
  }

  /** All resources of a kind, in reply to a query for all. */
  void list(Kind kind, List<Resource> items, String revision, PrintWriter out) {
    switch (format) {
      case Format.Rows _, Format.CustomColumns _, Format.Name _ -> rows(kind, items, out);
      case Format.Yaml _, Format.PrintedJson _, Format.Template _ -> {
        ObjectNode list = Json.object();
        list.put("kind", kind.documentKind() + "List").put("apiVersion", kind.apiVersion());
        list.putObject("metadata").put("resourceVersion", revision);
        ArrayNode array = list.putArray("items");
        items.forEach(item -> array.add(ResourceForm.document(item)));
        document(list, out);
      }
    }
  }

  /** Resources that were requested by name: the one itself, or several as a list. */
  void named(Kind kind, List<ObjectNode> documents, List<Resource> items, PrintWriter out) {
    switch (format) {
      case Format.Rows _, Format.CustomColumns _, Format.Name _ -> rows(kind, items, out);
      case Format.Yaml _, Format.PrintedJson _ -> {
        if (documents.size() == 1) {
          document(documents.getFirst(), out);
        } else {
          ArrayNode array = Json.array();
          documents.forEach(array::add);
          document(array, out);
        }
      }
      case Format.Template _ -> {
        ObjectNode list = Json.object();
        ArrayNode array = list.putArray("items");
        documents.forEach(array::add);
        document(documents.size() == 1 ? documents.getFirst() : list, out);
      }
    }
  }

  /** One whole document. */
  void document(JsonNode document, PrintWriter out) {
    switch (format) {
      case Format.Yaml _ -> out.print(YamlWriter.write(document));
      case Format.PrintedJson _ -> out.println(PrettyJson.write(document));
      case Format.Template template -> {
        String text = template.template().render(document);
        out.print(text.endsWith("\n") ? text : text + System.lineSeparator());
      }
      case Format.Rows _, Format.CustomColumns _, Format.Name _ ->
          throw new IllegalStateException("a table shows no documents");
    }
    out.flush();
  }

  private void rows(Kind kind, List<Resource> items, PrintWriter out) {
    if (format instanceof Format.Name) {
      items.forEach(item -> out.println(name(item)));
      return;
    }
    List<Columns.Column> columns = columns(kind);
    TextTable table =
        new TextTable(columns.stream().map(Columns.Column::heading).toArray(String[]::new));
    items.forEach(item -> table.row(cells(columns, item)));
    if (!colours) {
      table.printTo(out);
      return;
    }
    StringWriter plain = new StringWriter();
    table.printTo(new PrintWriter(plain));
    List<String> lines = plain.toString().lines().toList();
    for (int i = 0; i < lines.size(); i++) {
      out.println(i == 0 ? BOLD + lines.get(i) + PLAIN : lines.get(i));
    }
  }

  static String name(Resource resource) {
    return KindNames.singular(resource.kind()) + "/" + resource.key().name();
  }

  String[] cells(List<Columns.Column> columns, Resource resource) {
    Supplier<String> defaultAs = this::defaultAs;
    return columns.stream().map(column -> column.of(resource, defaultAs)).toArray(String[]::new);
  }

  private String defaultAs() {
    try {
      Resource configuration = datastore.get(ResourceKey.of(Kind.BGP_CONFIGURATION, "default"));
      JsonNode number =
          configuration.<JsonNode>read(content -> content.path("spec").path("asNumber"));
      return number.isMissingNode() ? DEFAULT_AS : number.asString(DEFAULT_AS);
    } catch (DatastoreException _) {
      return DEFAULT_AS;
    }
  }
}
