package io.ocicat.plugins.calico;

import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.error.ConflictException;
import io.ocicat.datastore.error.ExistsException;
import io.ocicat.datastore.error.NotFoundException;
import io.ocicat.datastore.error.UnsupportedException;
import io.ocicat.datastore.model.WorkloadEndpointName;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.plugins.calicocluster.CalicoBackend;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Predicate;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Reads and writes WorkloadEndpoints in the datastore. A concurrent change is never overwritten:
 * the endpoint is read and changed again.
 */
record WorkloadEndpoints(Datastore datastore) {
  private static final int ATTEMPTS = 6;

  /** The endpoint of a workload, whatever its interface name. */
  Optional<Resource> find(WorkloadIdentity identity) {
    WorkloadEndpointName wanted = identity.anyInterface();
    return CalicoBackend.attempt("error listing endpoints", () -> datastore.list(identity.query()))
        .items()
        .stream()
        .filter(endpoint -> wanted.matches(endpoint.key().name()))
        .findFirst();
  }

  /** A list of strings in an endpoint's specification. */
  static List<String> texts(Resource endpoint, String member) {
    return endpoint.read(
        document -> {
          List<String> texts = new ArrayList<>();
          for (JsonNode item : document.path("spec").path(member).values()) {
            texts.add(item.asString(""));
          }
          return texts;
        });
  }

  /** The endpoint of exactly that name. */
  Optional<Resource> get(ResourceKey key) {
    return CalicoBackend.attempt(
        "error getting endpoint",
        () -> {
          try {
            return Optional.of(datastore.get(key));
          } catch (NotFoundException _) {
            return Optional.empty();
          }
        });
  }

  /**
   * Writes an endpoint, replacing an existing one.
   *
   * @param former as it was read, if it exists
   * @param change applied to the document, old or new
   * @return the stored endpoint
   */
  Resource write(ResourceKey.Named key, Optional<Resource> former, Consumer<ObjectNode> change) {
    return CalicoBackend.attempt("error writing endpoint", () -> tryWrite(key, former, change));
  }

  private Resource tryWrite(
      ResourceKey.Named key, Optional<Resource> former, Consumer<ObjectNode> change) {
    Optional<Resource> present = former;
    for (int attempt = 1; ; attempt++) {
      try {
        return present.isPresent()
            ? datastore.update(present.get().edit(change))
            : datastore.create(Resource.of(key, _ -> {}).edit(change));
      } catch (ConflictException | ExistsException | NotFoundException e) {
        if (attempt == ATTEMPTS) {
          throw e;
        }
        present = get(key);
      }
    }
  }

  /**
   * Deletes an endpoint if a condition holds for it.
   *
   * @return the endpoint for which the condition did not hold
   */
  Optional<Resource> delete(ResourceKey key, Predicate<Resource> test) {
    return get(key).flatMap(read -> delete(read, test));
  }

  /**
   * The same for one that was already read. If it changes meanwhile, it is read and tested again.
   */
  Optional<Resource> delete(Resource read, Predicate<Resource> test) {
    ResourceKey key = read.key();
    for (int attempt = 1; attempt <= ATTEMPTS; attempt++) {
      Optional<Resource> present = attempt == 1 ? Optional.of(read) : get(key);
      if (present.isEmpty() || !test.test(present.get())) {
        return present;
      }
      if (isDeleted(present.get())) {
        return Optional.empty();
      }
    }
    throw new CniException(
        ErrorCode.TRY_AGAIN_LATER,
        "error deleting endpoint: endpoint was modified before it could be deleted",
        key.describe() + " keeps being changed by somebody else");
  }

  private boolean isDeleted(Resource endpoint) {
    return CalicoBackend.attempt(
        "error deleting endpoint",
        () -> {
          try {
            datastore.delete(endpoint);
            return true;
          } catch (NotFoundException | UnsupportedException _) {
            return true;
          } catch (ConflictException _) {
            return false;
          }
        });
  }
}
