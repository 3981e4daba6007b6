package io.ocicat.examples.datastore;

import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.embedded.EmbeddedStore;
import io.ocicat.ipam.AutoAssignRequest;
import io.ocicat.ipam.AutoAssigned;
import io.ocicat.ipam.Conventions;
import io.ocicat.ipam.Ipam;
import io.ocicat.ipam.Sources;
import java.nio.file.Path;
import java.time.Instant;

/** Assigns an address of the pools in the embedded datastore, and releases it. */
public final class Addresses {
  private Addresses() {}

  static void main() {
    try (Datastore datastore = EmbeddedStore.openDatastore(Path.of("/var/lib/ocicat"))) {
      assign(datastore, "c1");
    }
  }

  private static void assign(Datastore datastore, String containerId) {
    try (Ipam ipam = Ipam.resident(datastore, Sources.ofSystem())) {
      String handle = Conventions.containerHandle("k8s-pod-network", containerId);
      AutoAssigned got =
          ipam.autoAssign(
              AutoAssignRequest.on("node-1")
                  .withCounts(1, 0)
                  .withHandle(
                      handle,
                      Conventions.containerAttributes("node-1", Instant.now(), "shop", "cart-0")));
      System.out.println(got.addresses());
      ipam.releaseByHandle(handle);
    }
  }
}
