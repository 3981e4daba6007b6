package io.ocicat.cni;

import io.ocicat.base.json.Json;
import io.ocicat.base.json.JsonFields;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * DNS settings, in a configuration or a result. {@code domain} is empty when absent; {@code
 * unknown} holds unrecognised members.
 */
public record Dns(
    List<String> nameservers,
    String domain,
    List<String> search,
    List<String> options,
    Map<String, JsonNode> unknown) {
  public static final Dns NONE = new Dns(List.of(), "", List.of(), List.of());

  public Dns {
    nameservers = List.copyOf(nameservers);
    search = List.copyOf(search);
    options = List.copyOf(options);
    unknown = ExtraMembers.copyOf(unknown);
  }

  public Dns(List<String> nameservers, String domain, List<String> search, List<String> options) {
    this(nameservers, domain, search, options, Map.of());
  }

  public static Dns read(JsonFields in) {
    return new Dns(
        in.texts("nameservers").or(List.of()),
        in.text("domain").or(""),
        in.texts("search").or(List.of()),
        in.texts("options").or(List.of()),
        in.rest());
  }

  public boolean isEmpty() {
    return equals(NONE);
  }

  public ObjectNode toJson() {
    ObjectNode json = Json.object();
    putUnlessEmpty(json, "nameservers", nameservers);
    if (!domain.isEmpty()) {
      json.put("domain", domain);
    }
    putUnlessEmpty(json, "search", search);
    putUnlessEmpty(json, "options", options);
    ExtraMembers.addTo(json, unknown);
    return json;
  }

  private static void putUnlessEmpty(ObjectNode json, String name, List<String> texts) {
    if (!texts.isEmpty()) {
      json.set(name, Json.array(texts));
    }
  }
}
