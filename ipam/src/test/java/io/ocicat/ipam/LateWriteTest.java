package io.ocicat.ipam;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.embedded.EmbeddedStore;
import io.ocicat.datastore.error.DatastoreException;
import io.ocicat.datastore.error.UnavailableException;
import io.ocicat.datastore.passing.PassingDatastore;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.ipam.model.AutoAssignRequest;
import io.ocicat.ipam.model.ClockAndRandom;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A server that hangs for longer than anybody waits, and then applies the requests (review C19).
 */
class LateWriteTest {
  @TempDir Path directory;

  /** Answers nothing while it hangs; writes are applied later. */
  private static final class Frozen extends PassingDatastore {
    private final List<Supplier<?>> late = new ArrayList<>();
    private boolean frozen;

    Frozen(Datastore behind) {
      super(behind);
    }

    @Override
    protected void reading() {
      if (frozen) {
        throw new UnavailableException("no answer", null);
      }
    }

    @Override
    protected <T> T writing(Supplier<T> write) {
      if (frozen) {
        late.add(write);
        throw UnavailableException.outcomeUnknown("no answer", null);
      }
      return write.get();
    }

    void goOn() {
      frozen = false;
      late.forEach(
          write -> {
            try {
              var _ = write.get();
            } catch (DatastoreException _) {
              // A concurrent writer was faster.
            }
          });
    }
  }

  private static AutoAssignRequest request(String handle) {
    return AutoAssignRequest.on("node-1")
        .withCounts(1, 0)
        .withHandle(handle, Map.of("node", "node-1"));
  }

  @Test
  void anAddressThatWasAssignedTooLateIsReleased() {
    try (Datastore store = EmbeddedStore.openDatastore(directory)) {
      store.create(
          Resource.of(
              new ResourceKey.Named(Kind.IP_POOL, "", "v4"),
              spec -> spec.put("cidr", "10.0.0.0/16").put("blockSize", 26)));
      store.create(Resource.of(new ResourceKey.Named(Kind.NODE, "", "node-1"), _ -> {}));
      Frozen frozen = new Frozen(store);
      try (Ipam ipam = Ipam.resident(frozen, ClockAndRandom.ofSystem())) {
        ipam.autoAssign(request("first"));
        frozen.frozen = true;
        assertThatThrownBy(() -> ipam.autoAssign(request("pod")))
            .isInstanceOf(UnavailableException.class);
        frozen.goOn();

        ipam.autoAssign(request("pod"));

        assertThat(ipam.addressesOf("pod")).hasSize(1);
        assertThat(ipam.check().run().findings()).isEmpty();
        ipam.releaseByHandle("pod");
        assertThat(ipam.addressesOf("first")).hasSize(1);
      }
    }
  }
}
