package io.ocicat.cli.resource;

import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.error.ConflictException;
import io.ocicat.datastore.error.ExistsException;
import io.ocicat.datastore.error.InvalidException;
import io.ocicat.datastore.error.NotFoundException;
import io.ocicat.datastore.error.UnsupportedException;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import java.util.List;
import java.util.function.UnaryOperator;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** A change to one resource: create, apply, replace or delete, with calicoctl's semantics. */
enum ResourceChange {
  CREATE("created") {
    @Override
    boolean make(Datastore datastore, Resource wanted, boolean lenient) {
      try {
        datastore.create(fresh(wanted));
        return true;
      } catch (ExistsException e) {
        return skip(lenient, e);
      }
    }
  },
  APPLY("applied") {
    @Override
    boolean make(Datastore datastore, Resource wanted, boolean lenient) {
      try {
        datastore.create(fresh(wanted));
      } catch (ExistsException _) {
        replace(datastore, wanted);
      } catch (UnsupportedException e) {
        // Nodes of Kubernetes are not created here, but what Calico knows of them is written.
        replace(datastore, withLabelsOf(existing(datastore, wanted.key(), e), wanted));
      }
      return true;
    }
  },
  REPLACE("replaced") {
    @Override
    boolean make(Datastore datastore, Resource wanted, boolean lenient) {
      replace(datastore, wanted);
      return true;
    }
  },
  DELETE("deleted") {
    @Override
    boolean make(Datastore datastore, Resource wanted, boolean lenient) {
      try {
        String revision = wanted.revision();
        datastore.delete(wanted.key(), revision.isEmpty() ? null : revision);
        return true;
      } catch (NotFoundException e) {
        return skip(lenient, e);
      }
    }
  };

  private static final int TRIES = 5;

  /** The prefix of policies that are derived from Kubernetes' own. */
  private static final String OF_KUBERNETES = "knp.default.";

  private final String done;

  ResourceChange(String done) {
    this.done = done;
  }

  /** As in "1 of 2 applied". */
  String done() {
    return done;
  }

  /**
   * Makes it.
   *
   * @param lenient whether an existing, or missing, resource is left alone
   * @return whether anything was done
   */
  abstract boolean make(Datastore datastore, Resource wanted, boolean lenient);

  /** Refuses changes that users may not make: see {@link #refuse(ResourceKey, String)}. */
  void refuse(ResourceKey key) {
    refuse(key, done);
  }

  /**
   * Refuses changes that users may not make: to IPAM's records, to the datastore's ready flag, and
   * to policies that are derived from Kubernetes' own.
   *
   * @param how completes "cannot be …"
   */
  static void refuse(ResourceKey key, String how) {
    Kind kind = key.kind();
    if (kind.isIpam()) {
      throw new InvalidException("%s cannot be %s by hand: IPAM keeps it".formatted(kind, how));
    }
    if (kind == Kind.CLUSTER_INFORMATION) {
      throw new InvalidException(
          "%s cannot be %s by hand: see \"ocicat datastore\"".formatted(kind, how));
    }
    if (kind == Kind.NETWORK_POLICY && key.name().startsWith(OF_KUBERNETES)) {
      throw new InvalidException(
          "%s cannot be %s: it is made of a policy of Kubernetes: change that with kubectl"
              .formatted(key.describe(), how));
    }
  }

  private static boolean skip(boolean lenient, RuntimeException otherwise) {
    if (lenient) {
      return false;
    }
    throw otherwise;
  }

  /** Only what a user may set: the rest of the metadata is generated. */
  private static Resource fresh(Resource wanted) {
    return wanted
        .withRevision("")
        .edit(
            document -> {
              if (document.get("metadata") instanceof ObjectNode metadata) {
                metadata.remove("uid");
                metadata.remove("creationTimestamp");
              }
              if (!takesStatus(wanted.kind())) {
                document.remove("status");
              }
            });
  }

  private static Resource existing(
      Datastore datastore, ResourceKey key, UnsupportedException otherwise) {
    try {
      return datastore.get(key);
    } catch (NotFoundException _) {
      throw otherwise;
    }
  }

  /** Labels that Kubernetes has are not removed by a document that does not name them. */
  private static Resource withLabelsOf(Resource there, Resource wanted) {
    return wanted.edit(
        document -> {
          ObjectNode labels = document.withObject("metadata").withObject("labels");
          there
              .labels()
              .forEach(
                  (name, value) -> {
                    if (!labels.has(name)) {
                      labels.put(name, value);
                    }
                  });
        });
  }

  /** Spec, labels and annotations are the user's; everything else stays as it is stored. */
  private static void replace(Datastore datastore, Resource wanted) {
    update(
        datastore,
        wanted.key(),
        stored -> {
          if (!wanted.revision().isEmpty() && !wanted.revision().equals(stored.revision())) {
            throw new ConflictException(
                "%s is of revision %s, not %s as metadata.resourceVersion says: read it again, or leave that out"
                    .formatted(wanted.describe(), stored.revision(), wanted.revision()));
          }
          return stored.edit(
              document -> {
                ObjectNode given = wanted.content();
                for (String member : members(wanted.kind())) {
                  copyMember(document, given, member);
                }
                if (given.has("status") && takesStatus(wanted.kind())) {
                  copyMember(document, given, "status");
                }
                ObjectNode metadata = document.withObject("metadata");
                copyMember(metadata, given.path("metadata"), "labels");
                copyMember(metadata, given.path("metadata"), "annotations");
              });
        });
  }

  /** What a document says: its spec, except of the one kind that has none. */
  private static List<String> members(Kind kind) {
    return kind == Kind.ENDPOINT_SLICE
        ? List.of("addressType", "endpoints", "ports")
        : List.of("spec");
  }

  /** Only a node's status may be written; for other kinds a document may contain it. */
  private static boolean takesStatus(Kind kind) {
    return kind == Kind.NODE;
  }

  private static void copyMember(ObjectNode to, JsonNode from, String name) {
    JsonNode value = from.path(name);
    if (value.isMissingNode()) {
      to.remove(name);
    } else {
      to.set(name, value);
    }
  }

  /**
   * Reads, changes and writes; repeats when there was a concurrent change.
   *
   * @throws NotFoundException when the resource does not exist
   */
  static Resource update(Datastore datastore, ResourceKey key, UnaryOperator<Resource> change) {
    for (int attempt = 1; ; attempt++) {
      Resource changed = change.apply(datastore.get(key));
      try {
        return datastore.update(changed);
      } catch (ConflictException e) {
        if (attempt == TRIES) {
          throw e;
        }
      }
    }
  }
}
