package io.ocicat.datastore.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import io.ocicat.base.json.Json;
import io.ocicat.datastore.config.DatastoreConfig;
import io.ocicat.datastore.error.CompactedException;
import io.ocicat.datastore.error.CorruptException;
import io.ocicat.datastore.error.InvalidException;
import io.ocicat.datastore.error.UnauthorizedException;
import io.ocicat.datastore.error.UnavailableException;
import io.ocicat.datastore.kubernetes.client.RateLimit;
import io.ocicat.datastore.model.ApiGroup;
import io.ocicat.datastore.model.Crds;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.datastore.resource.ResourcePage;
import io.ocicat.datastore.resource.ResourceQuery;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.node.ObjectNode;

/** Every failure has the right type and a one-line message that says what to change. */
class FailuresTest {
  private static final ResourceKey BLUE = ResourceKey.of(Kind.IP_POOL, "blue");
  private static final Duration SHORT = Duration.ofMillis(400);

  private final ApiServer server = new ApiServer();
  private final KubernetesDatastore datastore = Opening.open(server);

  @BeforeEach
  void define() {
    server.define(Crds.of(ApiGroup.V1));
    server.createNamespace("shop");
  }

  @AfterEach
  void close() {
    datastore.close();
    server.close();
  }

  private static Resource pool() {
    return Resource.of((ResourceKey.Named) BLUE, spec -> spec.put("cidr", "10.65.0.0/16"));
  }

  private static Resource set(String namespace) {
    return Resource.of(
        new ResourceKey.Named(Kind.NETWORK_SET, namespace, "web"),
        spec -> spec.putArray("nets").add("10.0.0.0/8"));
  }

  /** Review K14. */
  @Test
  void whenTimeIsUpTheRateLimitIsNotBlamed() {
    try (KubernetesDatastore late =
        Opening.open(Opening.config(server.url(), ""), Duration.ofNanos(1))) {
      assertThatThrownBy(() -> late.get(BLUE))
          .isInstanceOf(UnavailableException.class)
          .hasMessageContaining("was not asked")
          .hasMessageNotContaining("K8S_CLIENT_QPS");
    }
  }

  @Test
  void anUnreachableServerIsNamed() {
    String url = server.url();
    server.stop();
    try (KubernetesDatastore lost = Opening.open(Opening.config(url, ""), SHORT)) {
      assertThatThrownBy(() -> lost.get(BLUE))
          .isInstanceOfSatisfying(
              UnavailableException.class, e -> assertThat(e.outcomeUnknown()).isFalse())
          .hasMessageContaining(url)
          .hasMessageContaining("refused")
          .message()
          .hasLineCount(1);
      assertThatThrownBy(() -> lost.create(pool()))
          .isInstanceOfSatisfying(
              UnavailableException.class, e -> assertThat(e.outcomeUnknown()).isFalse());
    }
  }

  @Test
  void aNameThatDoesNotResolveIsNamed() {
    try (KubernetesDatastore lost =
        Opening.open(Opening.config("https://no.such.host.invalid:6443", ""), SHORT)) {
      assertThatThrownBy(() -> lost.get(BLUE))
          .isInstanceOf(UnavailableException.class)
          .hasMessageContaining("no.such.host.invalid")
          .hasMessageContaining("cannot be resolved");
    }
  }

  @Test
  void credentialsThatAreNotAcceptedAreNamedButNotShown() {
    server.accept("right");
    // Claims {"exp":1767225600}.
    String token = "x.eyJleHAiOjE3NjcyMjU2MDB9.secret";
    try (KubernetesDatastore stranger = Opening.open(Opening.config(server.url(), token))) {
      assertThatThrownBy(() -> stranger.get(BLUE))
          .isInstanceOf(UnauthorizedException.class)
          .hasMessageStartingWith("connection is unauthorized: ")
          .hasMessageContaining("which ends at 2026-01-01T00:00:00Z")
          .hasMessageContaining("renew it")
          .message()
          .doesNotContain("secret");
    }
  }

  @Test
  void aMissingPermissionIsNamed() {
    datastore.get(ResourceKey.of(Kind.PROFILE, "kns.shop"));
    server.deny("create", "ippools.crd.projectcalico.org");

    assertThatThrownBy(() -> datastore.create(pool()))
        .isInstanceOf(UnauthorizedException.class)
        .hasMessageContaining("allow \"create\" on ippools.crd.projectcalico.org")
        .hasMessageContaining("system:serviceaccount:kube-system:calico");
  }

  @Test
  void missingDefinitionsAreReportedWithTheCommandThatInstallsThem() {
    try (ApiServer empty = new ApiServer();
        KubernetesDatastore bare = Opening.open(empty)) {
      assertThatThrownBy(() -> bare.get(BLUE))
          .isInstanceOf(UnavailableException.class)
          .hasMessageContaining("ocicat crds | kubectl apply -f -");
      empty.define(Crds.of(ApiGroup.V3));
      assertThat(bare.create(pool()).key()).isEqualTo(BLUE);
    }
  }

  @Test
  void aServerThatIsNotKubernetesIsReported() throws Exception {
    HttpServer other =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    other.start();
    String url = "http://127.0.0.1:" + other.getAddress().getPort();
    try (KubernetesDatastore lost = Opening.open(Opening.config(url, ""), SHORT)) {
      assertThatThrownBy(() -> lost.cluster().pod("shop", "web"))
          .isInstanceOf(UnavailableException.class)
          .hasMessageContaining("is not a Kubernetes API");
    } finally {
      other.stop(0);
    }
  }

  @Test
  void aNamespaceThatIsMissingIsNamed() {
    assertThatThrownBy(() -> datastore.create(set("none")))
        .isInstanceOf(InvalidException.class)
        .hasMessageContaining("no namespace none: create it first");
  }

  @Test
  void readsAreRepeatedUntilTheyAreAnswered() {
    Resource created = datastore.create(pool());
    server.fail(
        "get",
        ApiServer.Fault.DROPPED,
        ApiServer.Fault.OVERLOADED,
        ApiServer.Fault.TOO_MANY,
        ApiServer.Fault.INTERNAL);

    assertThat(datastore.get(BLUE)).isEqualTo(created);
  }

  @Test
  void aWriteWhoseAnswerIsLostSaysSoAndIsNotRepeated() {
    datastore.get(ResourceKey.of(Kind.PROFILE, "kns.shop"));
    server.fail("create", ApiServer.Fault.DONE_AND_DROPPED);

    assertThatThrownBy(() -> datastore.create(set("shop")))
        .isInstanceOfSatisfying(
            UnavailableException.class, e -> assertThat(e.outcomeUnknown()).isTrue())
        .hasMessageContaining("not known whether NetworkSet shop/web was written");
    assertThat(datastore.get(set("shop").key()).key()).isEqualTo(set("shop").key());
    assertThat(server.seen()).filteredOn(seen -> seen.verb().equals("create")).hasSize(1);
  }

  @Test
  void aWriteThatFailedInsideTheServerMayHaveBeenDone() {
    server.fail("create", ApiServer.Fault.INTERNAL);

    assertThatThrownBy(() -> datastore.create(set("shop")))
        .isInstanceOfSatisfying(
            UnavailableException.class, e -> assertThat(e.outcomeUnknown()).isTrue());
  }

  @Test
  void aWriteThatTheServerPutOffIsRepeated() {
    server.fail("create", ApiServer.Fault.TOO_MANY, ApiServer.Fault.TOO_MANY);

    datastore.create(set("shop"));

    assertThat(server.seen()).filteredOn(seen -> seen.verb().equals("create")).hasSize(3);
  }

  @Test
  void aListThatIsOvertakenByHistorySaysSo() {
    datastore.create(set("shop"));
    server.createNamespace("shop-2");
    datastore.create(set("shop-2"));
    ResourcePage page = datastore.list(ResourceQuery.of(Kind.NETWORK_SET), 1, null);
    datastore.delete(page.items().getFirst());
    server.store().compact();

    assertThatThrownBy(() -> datastore.list(ResourceQuery.of(Kind.NETWORK_SET), 1, page.next()))
        .isInstanceOf(CompactedException.class)
        .hasMessageContaining("list again");
  }

  @Test
  void whatTheServersSchemaRefusesIsInvalid() {
    Resource odd =
        Resource.of(
            (ResourceKey.Named) ResourceKey.of(Kind.BGP_PEER, "odd"), spec -> spec.put("x", 1));
    ObjectNode strict =
        Crds.of(ApiGroup.V1).stream()
            .filter(crd -> crd.at("/spec/names/kind").asString("").equals("BGPPeer"))
            .findFirst()
            .orElseThrow();
    ((ObjectNode) strict.at("/spec/versions/0/schema/openAPIV3Schema/properties"))
        .set("spec", Json.object().put("type", "string"));
    server.define(List.of(strict));

    assertThatThrownBy(() -> datastore.create(odd))
        .isInstanceOf(InvalidException.class)
        .hasMessageContaining("BGPPeer odd")
        .hasMessageContaining("must be of type string");
  }

  @Test
  void whatOthersHaveBrokenIsCorruptAndCanBeDeleted() {
    datastore.create(pool());
    ObjectNode stored = server.store().get("ippools.crd.projectcalico.org", "blue").orElseThrow();
    stored.withObject("/metadata/annotations").put("projectcalico.org/metadata", "{");
    server.put("ippools.crd.projectcalico.org", "blue", stored);

    assertThatThrownBy(() -> datastore.get(BLUE))
        .isInstanceOf(CorruptException.class)
        .hasMessageContaining("IPPool blue");
    assertThat(datastore.list(ResourceQuery.of(Kind.IP_POOL)).unreadable()).hasSize(1);
    datastore.delete(BLUE, null);
    assertThat(datastore.list(ResourceQuery.of(Kind.IP_POOL)).unreadable()).isEmpty();
  }

  @Test
  void ownRequestsWaitForTheirTurn() {
    DatastoreConfig.Kubernetes fast = Opening.config(server.url(), "");
    DatastoreConfig.Kubernetes slow =
        new DatastoreConfig.Kubernetes(
            fast.kubeconfig(),
            fast.kubeconfigInline(),
            fast.context(),
            fast.endpoint(),
            fast.token(),
            "",
            "",
            "",
            false,
            false,
            "crd.projectcalico.org/v1",
            0.01,
            1);
    try (KubernetesDatastore limited = Opening.open(slow, SHORT)) {
      assertThat(limited.list(ResourceQuery.of(Kind.IP_POOL)).items()).isEmpty();
      assertThatThrownBy(() -> limited.get(BLUE))
          .isInstanceOf(UnavailableException.class)
          .hasMessageContaining("K8S_CLIENT_QPS");
    }
  }

  /** Review C15: what was discovered once need not hold for the daemon's life. */
  @Test
  void theGroupIsFoundOutAgainWhenTheApiDoesNotKnowItAnyMore() {
    assertThat(datastore.list(ResourceQuery.of(Kind.IP_POOL)).items()).isEmpty();
    server.undefine(Crds.of(ApiGroup.V1));
    server.define(Crds.of(ApiGroup.V3));

    assertThatThrownBy(() -> datastore.list(ResourceQuery.of(Kind.IP_POOL)))
        .isInstanceOf(UnavailableException.class)
        .hasMessageContaining("install the resource definitions");
    assertThat(datastore.list(ResourceQuery.of(Kind.IP_POOL)).items()).isEmpty();
  }

  /** Review C15. */
  @Test
  void whoHasNoTimeLeftIsNotToldToRaiseTheLimit() {
    DatastoreConfig.Kubernetes fast = Opening.config(server.url(), "");
    try (KubernetesDatastore late = Opening.open(fast, Duration.ZERO)) {
      assertThatThrownBy(() -> late.list(ResourceQuery.of(Kind.NODE)))
          .isInstanceOf(UnavailableException.class)
          .hasMessageNotContaining("K8S_CLIENT_QPS");
    }
  }

  @Test
  void theLimitIsARateAfterABurst() {
    AtomicLong clock = new AtomicLong();
    RateLimit limit = new RateLimit(10, 3, clock::get);
    Duration second = Duration.ofSeconds(1);

    for (int i = 0; i < 3; i++) {
      assertThat(limit.reserve(second)).isZero();
    }
    assertThat(limit.reserve(second)).isEqualTo(Duration.ofMillis(100));
    assertThat(limit.reserve(second)).isEqualTo(Duration.ofMillis(200));
    assertThat(limit.reserve(Duration.ofMillis(250))).isEqualTo(Duration.ofMillis(300));
    clock.addAndGet(Duration.ofSeconds(60).toNanos());
    for (int i = 0; i < 3; i++) {
      assertThat(limit.reserve(second)).isZero();
    }
    assertThat(limit.reserve(second)).isEqualTo(Duration.ofMillis(100));
  }
}
