package io.ocicat.ipam;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.embedded.EmbeddedStore;
import io.ocicat.datastore.passing.PassingDatastore;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.datastore.resource.ResourceQuery;
import io.ocicat.datastore.resource.ResourceWatch;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import io.ocicat.ipam.model.AutoAssignRequest;
import io.ocicat.ipam.model.ClockAndRandom;
import io.ocicat.ipam.model.IpamException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A resident process caches its node, and still gives right answers. */
class CachedNodeTest {
  private static final ResourceKey NODE = ResourceKey.of(Kind.NODE, "node-1");
  private static final IpPrefix POOL_A = IpPrefix.parse("10.1.0.0/24");
  private static final IpPrefix POOL_B = IpPrefix.parse("10.2.0.0/24");

  @TempDir Path directory;
  private final AtomicLong time = new AtomicLong();
  private @Nullable Datastore datastore;
  private @Nullable Ipam ipam;
  private final Set<Kind> watched = ConcurrentHashMap.newKeySet();
  private int handles;

  @BeforeEach
  void open() {
    Datastore opened = EmbeddedStore.openDatastore(directory);
    datastore = opened;
    pool("a", POOL_A, "rack == 'a'");
    pool("b", POOL_B, "rack == 'b'");
    opened.create(Resource.of((ResourceKey.Named) NODE, _ -> {}));
    Datastore seen =
        new PassingDatastore(opened) {
          @Override
          public ResourceWatch watch(ResourceQuery query, String revision) {
            watched.add(query.kind());
            return super.watch(query, revision);
          }
        };
    ipam = Ipam.resident(seen, new ClockAndRandom(Clock.systemUTC(), time::get, () -> 0));
  }

  @AfterEach
  void close() {
    assertThat(ipam().check().run().findings()).isEmpty();
    ipam().close();
    datastore().close();
  }

  @Test
  void anAddressIsOfThePoolThatSelectsTheNodeNow() {
    moveTo("a");
    assertThat(POOL_A.contains(assign())).isTrue();

    moveTo("b");
    assertThat(POOL_B.contains(assign())).isTrue();

    moveTo("a");
    assertThat(POOL_A.contains(assign())).isTrue();
  }

  @Test
  void aPoolThatHasComeToSelectTheNodeIsSeenBeforeTheRequestIsRefused() {
    assertThatThrownBy(this::assign).isInstanceOf(IpamException.class);
    time.addAndGet(Duration.ofSeconds(2).toNanos());

    moveTo("a");
    assertThat(POOL_A.contains(assign())).isTrue();
  }

  /** One watch per node of a cluster would be expensive for a datastore. */
  @Test
  void aNodeIsNotWatched() {
    moveTo("a");
    assign();

    assertThat(watched).contains(Kind.IP_POOL).doesNotContain(Kind.NODE);
  }

  @Test
  void aNodeThatIsGoneGetsNothing() {
    moveTo("a");
    assign();
    datastore().delete(datastore().get(NODE));

    assertThatThrownBy(this::assign)
        .isInstanceOfSatisfying(
            IpamException.class,
            e -> assertThat(e.reason()).isEqualTo(IpamException.Reason.NO_SUCH_NODE));
  }

  @Test
  void aBlockThatBecomesEmptyIsReleasedWhenItsPoolNoLongerSelectsTheNode() {
    moveTo("a");
    assign();
    time.addAndGet(Duration.ofSeconds(2).toNanos());
    moveTo("b");
    ipam().releaseByHandle("pod-1");

    assertThat(ipam().check().run().blocks()).isZero();
  }

  private void pool(String name, IpPrefix cidr, String selector) {
    datastore()
        .create(
            Resource.of(
                new ResourceKey.Named(Kind.IP_POOL, "", name),
                spec -> spec.put("cidr", cidr.toString()).put("nodeSelector", selector)));
  }

  private void moveTo(String rack) {
    Resource node = datastore().get(NODE);
    datastore()
        .update(node.edit(document -> document.withObject("/metadata/labels").put("rack", rack)));
  }

  private IpAddress assign() {
    String handle = "pod-" + ++handles;
    AutoAssignRequest request =
        AutoAssignRequest.on("node-1")
            .withCounts(1, 0)
            .withHandle(handle, Map.of("node", "node-1"));
    return ipam().autoAssign(request).addresses().getFirst().address();
  }

  private Datastore datastore() {
    return Objects.requireNonNull(datastore);
  }

  private Ipam ipam() {
    return Objects.requireNonNull(ipam);
  }
}
