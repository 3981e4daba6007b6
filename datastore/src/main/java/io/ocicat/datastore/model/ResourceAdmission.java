package io.ocicat.datastore.model;

import io.ocicat.base.Quoted;
import io.ocicat.base.json.Json;
import io.ocicat.base.json.Problems;
import io.ocicat.datastore.error.InvalidException;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import java.time.Clock;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.UUID;
import java.util.function.Supplier;
import tools.jackson.databind.node.ObjectNode;

/**
 * Admits a resource for writing in any engine: completes its metadata and defaults, collects all
 * errors, and converts it to Calico's form. Thread-safe.
 */
public final class ResourceAdmission {
  private final Clock clock;
  private final Supplier<UUID> uids;

  public ResourceAdmission(Clock clock, Supplier<UUID> uids) {
    this.clock = clock;
    this.uids = uids;
  }

  public static ResourceAdmission standard() {
    return new ResourceAdmission(Clock.systemUTC(), UUID::randomUUID);
  }

  /**
   * Prepares a resource for creation.
   *
   * @throws InvalidException naming all errors
   */
  public Resource forCreate(Resource resource) {
    if (!resource.revision().isEmpty()) {
      throw new InvalidException(
          "%s cannot be created with a revision (%s): leave out metadata.resourceVersion"
              .formatted(resource.describe(), resource.revision()));
    }
    return admit(
        resource,
        metadata -> {
          if (isAbsent(metadata, "uid")) {
            metadata.put("uid", uids.get().toString());
          }
          if (isAbsent(metadata, "creationTimestamp")) {
            Instant now = clock.instant().truncatedTo(ChronoUnit.SECONDS);
            metadata.put("creationTimestamp", now.toString());
          }
        });
  }

  /**
   * Prepares a resource that replaces the one that was read.
   *
   * @throws InvalidException naming all errors
   */
  public Resource forUpdate(Resource resource) {
    if (resource.revision().isEmpty()) {
      throw new InvalidException(
          "%s cannot be updated without a revision: read it, change it, and update that"
              .formatted(resource.describe()));
    }
    return admit(
        resource,
        metadata -> {
          for (String kept : new String[] {"uid", "creationTimestamp"}) {
            if (isAbsent(metadata, kept)) {
              throw new InvalidException(
                  "%s cannot be updated without metadata.%s: read it, change it, and update that"
                      .formatted(resource.describe(), kept));
            }
          }
        });
  }

  /**
   * Fills in the defaults of a stored resource from an older version, as Calico does when reading.
   */
  public static Resource asRead(Resource stored) {
    return stored.kind() == Kind.IP_POOL
        ? stored.edit(document -> Defaults.apply(stored.key(), document))
        : stored;
  }

  private static boolean isAbsent(ObjectNode metadata, String name) {
    return metadata.path(name).asString("").isEmpty();
  }

  /** Completes the metadata. */
  @FunctionalInterface
  private interface Completion {
    void complete(ObjectNode metadata);
  }

  private static Resource admit(Resource resource, Completion completion) {
    ResourceKey key = resource.key();
    // Only a document is completed below.
    ObjectNode content =
        key instanceof ResourceKey.Named ? resource.content() : resource.read(tree -> tree);
    Problems problems = new Problems();
    if (key instanceof ResourceKey.Named named) {
      ObjectNode metadata = identify(named, content, problems);
      completion.complete(metadata);
      ResourceNames.check(named, problems);
      Defaults.apply(key, content);
    }
    ShapeCheck.run(Shapes.of(key.kind()), content, problems);
    if (key instanceof ResourceKey.Block block
        && !content.path("cidr").asString("").equals(block.cidr().toString())) {
      problems.add("cidr", "must be that of the block's key, " + block.cidr());
    }
    InvalidException.throwIfAny(problems, key.describe());
    if (key.kind() == Kind.WORKLOAD_ENDPOINT) {
      checkName(key, content, problems);
      InvalidException.throwIfAny(problems, key.describe());
    }
    return Resource.stored(key, Shapes.canonical(key.kind(), content), resource.revision());
  }

  /** Kind, version, name and namespace: if given, they must match the key. */
  private static ObjectNode identify(ResourceKey.Named key, ObjectNode content, Problems problems) {
    agree(content, "kind", key.kind().documentKind(), "kind", problems);
    agree(content, "apiVersion", key.kind().apiVersion(), "apiVersion", problems);
    if (!(content.get("metadata") instanceof ObjectNode)) {
      content.set("metadata", Json.object());
    }
    ObjectNode metadata = (ObjectNode) content.get("metadata");
    metadata.remove("resourceVersion");
    metadata.remove("selfLink");
    agree(metadata, "name", key.name(), "metadata.name", problems);
    if (key.kind().isNamespaced()) {
      agree(metadata, "namespace", key.namespace(), "metadata.namespace", problems);
    } else if (!isAbsent(metadata, "namespace")) {
      problems.add("metadata.namespace", "must be left out: " + key.kind() + " has none");
    }
    return metadata;
  }

  private static void agree(
      ObjectNode object, String name, String wanted, String path, Problems problems) {
    String found = object.path(name).asString("");
    if (found.isEmpty()) {
      object.put(name, wanted);
    } else if (!found.equals(wanted)) {
      problems.add(path, "must be %s, not %s".formatted(wanted, Quoted.brief(found)));
    }
  }

  /** The name of a workload endpoint must match its spec. */
  private static void checkName(ResourceKey key, ObjectNode content, Problems problems) {
    try {
      String name = WorkloadEndpointName.ofSpec(content.path("spec")).text();
      if (!name.equals(key.name())) {
        problems.add("metadata.name", "must be what spec says, " + name);
      }
    } catch (IllegalArgumentException e) {
      problems.add("spec", "makes no name: " + e.getMessage());
    }
  }
}
