package io.ocicat.ipam;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.Kind;
import io.ocicat.datastore.Resource;
import io.ocicat.datastore.ResourceKey;
import io.ocicat.datastore.embedded.EmbeddedStore;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SmokeTest {
  @TempDir Path directory;

  @Test
  void anAddressIsGivenFoundAndReleased() {
    try (Datastore datastore = EmbeddedStore.openDatastore(directory);
        Ipam ipam = Ipam.resident(datastore, Sources.ofSystem())) {
      datastore.create(
          Resource.of(
              new ResourceKey.Named(Kind.IP_POOL, "", "blue"),
              spec -> spec.put("cidr", "10.65.0.0/16")));
      datastore.create(Resource.of(new ResourceKey.Named(Kind.NODE, "", "node-1"), _ -> {}));
      AutoAssigned got =
          ipam.autoAssign(
              AutoAssignRequest.on("node-1").withCounts(1, 0).withHandle("net.c1", Map.of()));
      assertThat(got.isComplete()).isTrue();
      assertThat(ipam.addressesOf("net.c1")).containsExactly(got.addresses().getFirst().address());
      assertThat(ipam.check().run().findings()).isEmpty();
      assertThat(ipam.releaseByHandle("net.c1")).hasSize(1);
      assertThatThrownBy(() -> ipam.addressesOf("net.c1")).isInstanceOf(IpamException.class);
      assertThat(ipam.check().run().findings()).isEmpty();
    }
  }
}
