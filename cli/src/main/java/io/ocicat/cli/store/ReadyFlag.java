package io.ocicat.cli.store;

import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.error.ExistsException;
import io.ocicat.datastore.error.NotFoundException;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/**
 * Reads and writes the ready flag in ClusterInformation: while it is not set, Calico's plugins and
 * controllers leave the datastore alone.
 */
final class ReadyFlag {
  static final ResourceKey.Named KEY =
      new ResourceKey.Named(Kind.CLUSTER_INFORMATION, "", "default");

  private static final int GUID_BYTES = 16;

  private ReadyFlag() {}

  static Optional<Resource> read(Datastore datastore) {
    try {
      return Optional.of(datastore.get(KEY));
    } catch (NotFoundException _) {
      return Optional.empty();
    }
  }

  /** An absent flag means ready. */
  static boolean isReady(Datastore datastore) {
    return read(datastore)
        .map(
            information ->
                information
                    .<JsonNode>read(content -> content.path("spec").path("datastoreReady"))
                    .asBoolean(true))
        .orElse(true);
  }

  /** Returns ClusterInformation, and creates it if necessary: it identifies the datastore. */
  static Resource ensure(Datastore datastore) {
    if (read(datastore).isEmpty()) {
      set(datastore, true);
    }
    return read(datastore).orElseThrow();
  }

  static void set(Datastore datastore, boolean ready) {
    Optional<Resource> present = read(datastore);
    if (present.isPresent()) {
      datastore.update(
          present.get().edit(tree -> tree.withObject("spec").put("datastoreReady", ready)));
      return;
    }
    byte[] guid = new byte[GUID_BYTES];
    new SecureRandom().nextBytes(guid);
    try {
      datastore.create(
          Resource.of(
              KEY,
              spec ->
                  spec.put("clusterGUID", HexFormat.of().formatHex(guid))
                      .put("datastoreReady", ready)));
    } catch (ExistsException _) {
      set(datastore, ready);
    }
  }
}
