package io.ocicat.cli.resource;

import io.ocicat.base.Quoted;
import io.ocicat.base.yaml.YamlReader;
import io.ocicat.base.yaml.YamlSyntaxException;
import io.ocicat.datastore.error.InvalidException;
import io.ocicat.datastore.model.Shapes;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Reads the manifests that {@code -f} names: files, directories and standard input, with any number
 * of documents, lists and arrays in each. Continues after an error, so that all are reported at
 * once.
 */
final class Manifests {
  private final @Nullable String namespace;
  private final List<Manifest> found = new ArrayList<>();
  private final List<String> problems = new ArrayList<>();

  private Manifests(@Nullable String namespace) {
    this.namespace = namespace;
  }

  /**
   * Reads everything.
   *
   * @param namespace of those that have none; null for {@code default}
   * @throws RejectedException naming everything that is wrong
   */
  static List<Manifest> read(
      List<String> names, boolean recursive, @Nullable String namespace, InputStream stdin) {
    Manifests manifests = new Manifests(namespace);
    for (String name : names) {
      try {
        manifests.source(name, recursive, stdin);
      } catch (CharacterCodingException _) {
        manifests.problems.add(name + ": not UTF-8 text");
      } catch (IOException e) {
        manifests.problems.add("%s: cannot be read: %s".formatted(name, e));
      }
    }
    if (!manifests.problems.isEmpty()) {
      throw new RejectedException(manifests.problems);
    }
    return List.copyOf(manifests.found);
  }

  private void source(String name, boolean recursive, InputStream stdin) throws IOException {
    if (name.equals("-")) {
      text("stdin", new String(stdin.readAllBytes(), StandardCharsets.UTF_8));
      return;
    }
    Path path = Path.of(name);
    if (Files.isDirectory(path)) {
      try (Stream<Path> files = Files.walk(path, recursive ? Integer.MAX_VALUE : 1)) {
        for (Path file : files.filter(Manifests::isManifest).sorted().toList()) {
          text(file.toString(), Files.readString(file));
        }
      }
    } else if (Files.exists(path)) {
      text(name, Files.readString(path));
    } else {
      problems.add(name + ": there is no such file or directory");
    }
  }

  private static boolean isManifest(Path file) {
    String name = file.toString().toLowerCase(Locale.ROOT);
    return Files.isRegularFile(file)
        && (name.endsWith(".yaml") || name.endsWith(".yml") || name.endsWith(".json"));
  }

  private void text(String name, String text) {
    List<YamlReader.Document> documents;
    try {
      documents = YamlReader.readAll(text);
    } catch (YamlSyntaxException e) {
      problems.add(e.in(name));
      return;
    } catch (IllegalArgumentException e) {
      problems.add("%s: %s".formatted(name, e.getMessage()));
      return;
    }
    for (YamlReader.Document document : documents) {
      value("%s: document %d".formatted(name, document.number()), document.value());
    }
  }

  private void value(String origin, JsonNode value) {
    switch (value) {
      case ArrayNode array -> items(origin, array);
      case ObjectNode object when isList(object) -> items(origin, object.path("items"));
      case ObjectNode object -> resource(origin, object);
      default ->
          problems.add(
              "%s: not a resource but %s"
                  .formatted(origin, Quoted.brief(value.asString(value.toString()))));
    }
  }

  private static boolean isList(ObjectNode object) {
    return object.path("kind").asString("").endsWith("List") && object.path("items").isArray();
  }

  private void items(String origin, JsonNode items) {
    for (int i = 0; i < items.size(); i++) {
      value("%s, item %d".formatted(origin, i + 1), items.get(i));
    }
  }

  private void resource(String origin, ObjectNode document) {
    try {
      Resource resource = ResourceForm.parse(withNamespace(asRead(document)));
      List<String> unknown = Shapes.unknownMembers(resource);
      if (!unknown.isEmpty()) {
        problems.add(
            "%s: %s has no field %s: correct or remove it"
                .formatted(origin, resource.describe(), String.join(", ", unknown)));
        return;
      }
      found.add(new Manifest(origin, resource));
    } catch (InvalidException e) {
      problems.add("%s: %s".formatted(origin, e.getMessage()));
    }
  }

  private static ObjectNode asRead(ObjectNode document) {
    return kind(document)
        .filter(kind -> !kind.isIpam())
        .map(kind -> Shapes.asRead(kind, document))
        .orElse(document);
  }

  private static Optional<Kind> kind(ObjectNode document) {
    return Kind.ofDocument(
        document.path("kind").asString(""), document.path("apiVersion").asString(""));
  }

  private ObjectNode withNamespace(ObjectNode document) {
    boolean namespaced = kind(document).map(Kind::isNamespaced).orElse(false);
    if (!namespaced || !(document.get("metadata") instanceof ObjectNode metadata)) {
      return document;
    }
    String own = metadata.path("namespace").asString("");
    if (own.isEmpty()) {
      metadata.put("namespace", namespace == null ? "default" : namespace);
    } else if (namespace != null && !own.equals(namespace)) {
      throw new InvalidException(
          "metadata.namespace is %s, but -n says %s: make them agree"
              .formatted(Quoted.brief(own), Quoted.brief(namespace)));
    }
    return document;
  }
}
