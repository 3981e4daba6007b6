package io.ocicat.ipam;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.datastore.error.ExistsException;
import io.ocicat.datastore.model.BlockAffinity;
import io.ocicat.datastore.passing.PassingDatastore;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.ip.IpPrefix;
import io.ocicat.ipam.model.AutoAssignRequest;
import io.ocicat.ipam.model.AutoAssignResult;
import io.ocicat.ipam.model.ClockAndRandom;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Another process of the same host has begun to claim the only block. */
class HalfClaimedBlockTest {
  private static final String HOST = "host-a";
  private static final IpPrefix ONLY = IpPrefix.parse("10.0.0.0/26");

  /** Before each read in turn, until the request makes no more reads. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aPendingAffinityOfTheSameHostIsCompleted(boolean together) {
    int reads = 0;
    for (int moment = 0; moment <= reads; moment++) {
      try (Engine engine = new EmbeddedScenariosTest.InMemory(together)) {
        engine.node(HOST, Map.of());
        engine
            .datastore()
            .create(
                Resource.of(
                    new ResourceKey.Named(Kind.IP_POOL, "", "only"),
                    spec -> spec.put("cidr", ONLY.toString())));
        Interrupted interrupted = new Interrupted(engine, moment);

        AutoAssignResult assigned =
            Ipam.forOneCall(interrupted, ClockAndRandom.ofSystem())
                .autoAssign(AutoAssignRequest.on(HOST).withCounts(1, 0).withHandle("h", Map.of()));

        assertThat(assigned.isComplete()).as("begun before read %d: %s", moment, assigned).isTrue();
        reads = Math.max(reads, interrupted.reads);
      }
    }
    assertThat(reads).isPositive().isLessThan(200);
  }

  /** The other process runs before one of the reads. */
  private static final class Interrupted extends PassingDatastore {
    private final Engine engine;
    private final int moment;
    private int reads;

    Interrupted(Engine engine, int moment) {
      super(engine.datastore());
      this.engine = engine;
      this.moment = moment;
    }

    @Override
    protected void reading() {
      if (reads++ == moment) {
        try {
          engine
              .datastore()
              .create(
                  BlockAffinity.create(
                      ResourceKey.Affinity.ofHost(HOST, ONLY), BlockAffinity.State.PENDING));
        } catch (ExistsException _) {
          // This process was faster.
        }
      }
    }
  }
}
