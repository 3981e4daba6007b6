package io.ocicat.datastore.resource;

import io.ocicat.base.Quoted;
import io.ocicat.base.json.Json;
import io.ocicat.datastore.error.InvalidException;
import io.ocicat.datastore.json.StoredJson;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Function;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * A resource: its key, its content as a JSON tree, and the revision it was read at. The tree is
 * what is passed on, so that unknown members survive every rewrite; typed views are read from it.
 * Immutable: trees are copied on their way in and out.
 *
 * <p>The tree of a resource with metadata is the whole document except {@code
 * metadata.resourceVersion}, which is the revision. That of an IPAM record is what etcd holds.
 */
public final class Resource {
  public static final String API_VERSION = "projectcalico.org/v3";

  private final ResourceKey key;
  private final ObjectNode content;
  private final String revision;

  private Resource(ResourceKey key, ObjectNode content, String revision) {
    this.key = key;
    this.content = content;
    this.revision = revision;
  }

  /** A resource that is not stored yet. */
  public static Resource of(ResourceKey key, ObjectNode content) {
    return new Resource(key, content.deepCopy(), "");
  }

  /** A new resource with metadata and this spec. */
  public static Resource of(ResourceKey.Named key, Consumer<ObjectNode> spec) {
    ObjectNode document = Json.object();
    document.put("kind", key.kind().documentKind()).put("apiVersion", key.kind().apiVersion());
    ObjectNode metadata = document.putObject("metadata").put("name", key.name());
    if (!key.namespace().isEmpty()) {
      metadata.put("namespace", key.namespace());
    }
    spec.accept(document.putObject("spec"));
    return new Resource(key, document, "");
  }

  /** A resource as an engine has read it; takes ownership of the tree. */
  public static Resource stored(ResourceKey key, ObjectNode content, String revision) {
    return new Resource(key, content, revision);
  }

  /**
   * Reads a document as a user writes it, with kind, apiVersion and metadata.
   *
   * @throws InvalidException when it is not a Calico resource
   */
  public static Resource ofDocument(ObjectNode document) {
    String kindText = text(document, "kind");
    String version = text(document, "apiVersion");
    Kind kind =
        Kind.ofDocument(kindText, version)
            .filter(k -> !k.isIpam())
            .orElseThrow(
                () ->
                    new InvalidException(
                        "kind %s is not known: %s"
                            .formatted(
                                Quoted.brief(kindText),
                                Kind.like(kindText)
                                    .filter(k -> !k.isIpam())
                                    .map(k -> "did you mean %s?".formatted(k.documentKind()))
                                    .orElse("use one of Calico's, for instance IPPool"))));
    if (!version.equals(kind.apiVersion())) {
      throw new InvalidException(
          "apiVersion of %s must be %s, not %s"
              .formatted(kind, versions(kind), Quoted.brief(version)));
    }
    ObjectNode content = document.deepCopy();
    JsonNode metadata = content.path("metadata");
    if (!(metadata instanceof ObjectNode members)) {
      throw new InvalidException(kind + " has no metadata: give it at least a name");
    }
    String revision = text(members, "resourceVersion");
    members.remove("resourceVersion");
    ResourceKey key = ResourceKey.of(kind, text(members, "namespace"), text(members, "name"));
    return new Resource(key, content, revision);
  }

  private static String versions(Kind kind) {
    return kind == Kind.NETWORK_POLICY
        ? "%s, or Kubernetes' %s"
            .formatted(kind.apiVersion(), Kind.KUBERNETES_NETWORK_POLICY.apiVersion())
        : kind.apiVersion();
  }

  private static String text(ObjectNode object, String name) {
    JsonNode value = object.path(name);
    return value.isString() ? value.stringValue() : "";
  }

  /**
   * Returns the document as a user reads it, with its revision as {@code metadata.resourceVersion}.
   */
  public ObjectNode toDocument() {
    ObjectNode document = content.deepCopy();
    if (!revision.isEmpty() && document.get("metadata") instanceof ObjectNode metadata) {
      metadata.put("resourceVersion", revision);
    }
    return document;
  }

  public ResourceKey key() {
    return key;
  }

  public Kind kind() {
    return key.kind();
  }

  /** The revision, opaque, to be passed with the next change; empty when it was never stored. */
  public String revision() {
    return revision;
  }

  /** A copy of the tree. */
  public ObjectNode content() {
    return content.deepCopy();
  }

  /** The text at a path of names, as in {@code text("metadata", "uid")}. */
  public Optional<String> text(String... path) {
    JsonNode at = content;
    for (String name : path) {
      at = at.path(name);
    }
    return at.isString() ? Optional.of(at.stringValue()) : Optional.empty();
  }

  /** Returns {@code metadata.labels}; an IPAM record has none. */
  public Map<String, String> labels() {
    return texts("labels");
  }

  /** Returns {@code metadata.annotations}; an IPAM record has none. */
  public Map<String, String> annotations() {
    return texts("annotations");
  }

  private Map<String, String> texts(String member) {
    Map<String, String> texts = new TreeMap<>();
    content
        .path("metadata")
        .path(member)
        .forEachEntry(
            (name, value) -> {
              if (value.isString()) {
                texts.put(name, value.stringValue());
              }
            });
    return Collections.unmodifiableMap(texts);
  }

  /** Reads the tree without a copy; the reader must not change it. */
  public <T> T read(Function<ObjectNode, T> reader) {
    return reader.apply(content);
  }

  /** Returns the same resource, at the same revision, with a changed tree. */
  public Resource edit(Consumer<ObjectNode> change) {
    ObjectNode copy = content.deepCopy();
    change.accept(copy);
    return new Resource(key, copy, revision);
  }

  /**
   * Like {@link #edit} for top-level members: cheaper, because the rest of the tree is shared.
   *
   * @param change sets and removes members, and does not modify existing ones
   */
  public Resource replace(Consumer<ObjectNode> change) {
    ObjectNode members = Json.object();
    members.setAll(content);
    change.accept(members);
    return new Resource(key, members, revision);
  }

  public Resource withRevision(String revision) {
    return new Resource(key, content, revision);
  }

  public String describe() {
    return key.describe();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Resource that
        && key.equals(that.key)
        && revision.equals(that.revision)
        && content.equals(that.content);
  }

  @Override
  public int hashCode() {
    return key.hashCode();
  }

  @Override
  public String toString() {
    return describe() + "@" + revision + " " + StoredJson.compact(content);
  }
}
