package io.ocicat.agent.config;

import io.ocicat.datastore.json.StoredJson;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.datastore.selector.Selector;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;

/**
 * Everything that configures the agent of one node.
 *
 * @param file the text of {@link ConfigFile#PATH}; empty when it does not exist
 * @param resources the cluster's FelixConfigurations
 * @param nodeLabels the labels of the node, which node selectors choose by
 */
public record ConfigSources(
    Map<String, String> environment,
    String file,
    List<Resource> resources,
    String nodeName,
    Map<String, String> nodeLabels) {
  private static final String PREFIX = "felix_";
  private static final String NODE = "node.";
  private static final String DEFAULT = "default";

  public ConfigSources {
    environment = Map.copyOf(environment);
    resources = List.copyOf(resources);
    nodeLabels = Map.copyOf(nodeLabels);
  }

  /** A node that nobody configured. */
  public static ConfigSources none(String nodeName) {
    return new ConfigSources(Map.of(), "", List.of(), nodeName, Map.of());
  }

  /**
   * The values of one source.
   *
   * @param entries by the parameter's name
   */
  record Layer(ConfigSource source, Map<String, Entry> entries) {}

  /**
   * A value as it is written.
   *
   * @param place the variable, line or field, for messages
   * @param known whether Felix has a parameter of this name
   */
  record Entry(String name, String place, String text, boolean known) {}

  /** The sources that set something, the strongest first. Adds what is wrong with them. */
  List<Layer> layers(List<String> problems) {
    List<Layer> layers = new ArrayList<>();
    layers.add(environmentLayer(problems));
    layers.add(fileLayer(problems));
    named(NODE + nodeName)
        .ifPresent(node -> layers.add(layer(node, ConfigSource.Strength.NODE_RESOURCE)));
    selected(problems)
        .ifPresent(chosen -> layers.add(layer(chosen, ConfigSource.Strength.SELECTED_RESOURCE)));
    named(DEFAULT)
        .ifPresent(common -> layers.add(layer(common, ConfigSource.Strength.DEFAULT_RESOURCE)));
    return layers;
  }

  private Layer environmentLayer(List<String> problems) {
    Map<String, Entry> entries = new LinkedHashMap<>();
    environment.entrySet().stream()
        .filter(variable -> variable.getKey().toLowerCase(Locale.ROOT).startsWith(PREFIX))
        .sorted(Map.Entry.comparingByKey())
        .forEach(
            variable ->
                addLocal(
                    entries,
                    variable.getKey().substring(PREFIX.length()),
                    variable.getKey(),
                    variable.getValue(),
                    problems));
    return new Layer(ConfigSource.ENVIRONMENT, entries);
  }

  private Layer fileLayer(List<String> problems) {
    Map<String, Entry> entries = new LinkedHashMap<>();
    ConfigFile.parse(file, problems)
        .forEach(
            (key, value) ->
                addLocal(
                    entries, key, "%s in %s".formatted(key, ConfigFile.PATH), value, problems));
    return new Layer(
        new ConfigSource(ConfigSource.Strength.FILE, ConfigFile.PATH.toString()), entries);
  }

  private static void addLocal(
      Map<String, Entry> entries, String key, String place, String text, List<String> problems) {
    Optional<String> name = FelixNames.ofKey(key);
    if (name.isEmpty()) {
      problems.add(
          "%s is ignored: Felix has no parameter of this name%s"
              .formatted(
                  place, FelixNames.like(key).map("; did you mean %s?"::formatted).orElse("")));
    }
    add(entries, new Entry(name.orElse(key), place, text.strip(), name.isPresent()));
  }

  /** An empty text is the same as none. */
  private static void add(Map<String, Entry> entries, Entry entry) {
    if (!entry.text().isEmpty()) {
      entries.put(entry.name(), entry);
    }
  }

  private Optional<Resource> named(String name) {
    ResourceKey key = ResourceKey.of(Kind.FELIX_CONFIGURATION, name);
    return resources.stream().filter(resource -> resource.key().equals(key)).findFirst();
  }

  /** As Felix does, takes the oldest of several that select the node, and not the others. */
  private Optional<Resource> selected(List<String> problems) {
    List<Resource> matching =
        resources.stream()
            .filter(resource -> isSelectedBy(resource, problems))
            .sorted(
                Comparator.comparing(
                        (Resource resource) ->
                            resource.text("metadata", "creationTimestamp").orElse("~"))
                    .thenComparing(resource -> resource.key().name()))
            .toList();
    if (matching.size() > 1) {
      problems.add(
          "FelixConfigurations %s all select node %s: %s is used, the oldest"
              .formatted(
                  matching.stream()
                      .map(resource -> resource.key().name())
                      .collect(Collectors.joining(", ")),
                  nodeName,
                  matching.getFirst().key().name()));
    }
    return matching.stream().findFirst();
  }

  private boolean isSelectedBy(Resource resource, List<String> problems) {
    String name = resource.key().name();
    Optional<String> selector = resource.text("spec", "nodeSelector");
    if (name.equals(DEFAULT)
        || name.startsWith(NODE)
        || selector.filter(text -> !text.isEmpty()).isEmpty()) {
      return false;
    }
    try {
      return Selector.parse(selector.get()).matches(nodeLabels);
    } catch (IllegalArgumentException e) {
      problems.add(
          "%s is ignored: spec.nodeSelector is invalid: %s"
              .formatted(resource.describe(), e.getMessage()));
      return false;
    }
  }

  private static Layer layer(Resource resource, ConfigSource.Strength strength) {
    Map<String, Entry> entries = new LinkedHashMap<>();
    resource.read(
        document -> {
          document
              .path("spec")
              .forEachEntry(
                  (field, value) -> {
                    if (!field.equals("nodeSelector")) {
                      add(
                          entries,
                          new Entry(
                              field,
                              "spec.%s of %s".formatted(field, resource.describe()),
                              text(value),
                              FelixNames.isField(field)));
                    }
                  });
          return document;
        });
    return new Layer(new ConfigSource(strength, resource.describe()), entries);
  }

  private static String text(JsonNode value) {
    return switch (value.getNodeType()) {
      case NULL, MISSING -> "";
      case STRING -> value.stringValue().strip();
      case ARRAY, OBJECT -> StoredJson.compact(value);
      case NUMBER, BOOLEAN, BINARY, POJO -> value.asString("");
    };
  }
}
