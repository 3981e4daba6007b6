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
 * WorkloadEndpoints in the datastore. Whoever else changes one between reading and writing it is
 * not overwritten: it is read and changed again.
 */
record WorkloadEndpoints(Datastore datastore) {
  private static final int ATTEMPTS = 6;

  /** The endpoint of a workload, whatever its interface is called. */
  Optional<Resource> find(WorkloadIdentity identity) {
    WorkloadEndpointName wanted = identity.anyInterface();
    return CalicoBackend.attempt("error listing endpoints", () -> datastore.list(identity.query()))
        .items()
        .stream()
        .filter(endpoint -> wanted.matches(endpoint.key().name()))
        .findFirst();
  }

  /** A list of texts in an endpoint's specification. */
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
   * Writes an endpoint, over the one that is there.
   *
   * @param former as it was read, if there is one
   * @param change gets the document, old or new
   * @return as it is stored
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
   * Deletes an endpoint that a test holds for.
   *
   * @return the one that is there and for which the test does not hold
   */
  Optional<Resource> delete(ResourceKey key, Predicate<Resource> test) {
    return get(key).flatMap(read -> delete(read, test));
  }

  /**
   * The same for one that was read already. Who changes it meanwhile has it read and tested anew.
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
        key.describe() + " is changed again and again by somebody else");
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
