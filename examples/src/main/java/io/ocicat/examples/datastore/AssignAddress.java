package io.ocicat.examples.datastore;

import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.embedded.EmbeddedStore;
import io.ocicat.ipam.Ipam;
import io.ocicat.ipam.model.AutoAssignRequest;
import io.ocicat.ipam.model.AutoAssignResult;
import io.ocicat.ipam.model.CalicoConventions;
import io.ocicat.ipam.model.ClockAndRandom;
import java.nio.file.Path;
import java.time.Instant;

/** Assigns an address of the pools in the embedded datastore, and releases it. */
public final class AssignAddress {
  private AssignAddress() {}

  static void main() {
    try (Datastore datastore = EmbeddedStore.openDatastore(Path.of("/var/lib/ocicat"))) {
      assign(datastore, "c1");
    }
  }

  private static void assign(Datastore datastore, String containerId) {
    try (Ipam ipam = Ipam.resident(datastore, ClockAndRandom.ofSystem())) {
      String handle = CalicoConventions.containerHandle("k8s-pod-network", containerId);
      AutoAssignResult got =
          ipam.autoAssign(
              AutoAssignRequest.on("node-1")
                  .withCounts(1, 0)
                  .withHandle(
                      handle,
                      CalicoConventions.containerAttributes(
                          "node-1", Instant.now(), "shop", "cart-0")));
      System.out.println(got.addresses());
      ipam.releaseByHandle(handle);
    }
  }
}
