package io.ocicat.agent.policy.model;

import io.ocicat.base.json.Json;
import io.ocicat.base.yaml.YamlReader;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import tools.jackson.databind.node.ObjectNode;

/** Resources as tests write them: what is in a document besides its kind and name, as YAML. */
public final class PolicyYaml {
  private PolicyYaml() {}

  /**
   * Reads a resource.
   *
   * @param name with the namespace and a slash in front, if it has one
   */
  public static Resource resource(Kind kind, String name, String yaml) {
    int slash = name.indexOf('/');
    ResourceKey key =
        ResourceKey.of(kind, slash < 0 ? "" : name.substring(0, slash), name.substring(slash + 1));
    ObjectNode document =
        yaml.isBlank() ? Json.object() : (ObjectNode) YamlReader.readAll(yaml).getFirst().value();
    ObjectNode metadata = document.withObjectProperty("metadata");
    metadata.put("name", key.name());
    if (!key.namespace().isEmpty()) {
      metadata.put("namespace", key.namespace());
    }
    return Resource.of(key, document);
  }
}
