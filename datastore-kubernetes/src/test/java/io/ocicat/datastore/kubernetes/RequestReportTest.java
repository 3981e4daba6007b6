package io.ocicat.datastore.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.base.Deadline;
import io.ocicat.datastore.DatastoreRequest;
import io.ocicat.datastore.RequestListener;
import io.ocicat.datastore.error.UnavailableException;
import io.ocicat.datastore.kubernetes.client.ApiCall;
import io.ocicat.datastore.kubernetes.client.RateLimit;
import io.ocicat.datastore.kubernetes.client.RequestCost;
import io.ocicat.datastore.kubernetes.mapping.KubernetesCluster;
import io.ocicat.datastore.model.ApiGroup;
import io.ocicat.datastore.model.Crds;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.ResourceQuery;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The reported duration of a call and its parts (review K14). */
class RequestReportTest {
  private static final ApiCall CALL = ApiCall.get(KubernetesCluster.NODES.named("a"), "node a");

  private final ApiServer server = new ApiServer();
  private final KubernetesDatastore datastore = Opening.open(server);
  private final List<DatastoreRequest> told = new ArrayList<>();

  @BeforeEach
  void define() {
    server.define(Crds.of(ApiGroup.V1));
  }

  @AfterEach
  void close() {
    datastore.close();
    server.close();
  }

  private void listPools() {
    ScopedValue.where(RequestListener.CURRENT, told::add)
        .run(() -> datastore.list(ResourceQuery.of(Kind.IP_POOL)));
  }

  @Test
  void eachRequestIsReportedWithItsTime() {
    listPools();

    assertThat(told)
        .extracting(DatastoreRequest::describe)
        .containsExactly("get API groups", "list ippools.crd.projectcalico.org");
    assertThat(told).allSatisfy(it -> assertThat(it.endNanos()).isGreaterThan(it.startNanos()));
  }

  @Test
  void whatWasSentAgainSaysHowOftenAndHowLongItWaited() {
    listPools();
    told.clear();
    server.fail("list", ApiServer.Fault.TOO_MANY, ApiServer.Fault.OVERLOADED);

    listPools();

    assertThat(told).hasSize(1);
    assertThat(told.getFirst().attempts()).isEqualTo(3);
    assertThat(told.getFirst().pausedNanos())
        .as("the server said in how many seconds to come again")
        .isGreaterThan(Duration.ofSeconds(1).toNanos());
    assertThat(told.getFirst().throttledNanos()).isZero();
    assertThat(told.getFirst().describe()).contains("3 attempts, ").contains("between them");
  }

  @Test
  void whatWaitedForOurOwnLimitSaysSo() {
    RateLimit limit = new RateLimit(1000, 1, System::nanoTime);
    limit.reserve(Duration.ofSeconds(1));
    RequestCost cost = new RequestCost(CALL);
    cost.await(limit, Deadline.in(Duration.ofSeconds(10)), Duration.ofSeconds(10));
    cost.send();

    ScopedValue.where(RequestListener.CURRENT, told::add).run(() -> cost.report(true));

    assertThat(told.getFirst().describe()).startsWith("get nodes a, throttled for ");
  }

  /** The rate limit came last, but hardly took any of the time. */
  @Test
  void whatTheApiSaidIsToldRatherThanTheLimitThatCameAfterIt() {
    RateLimit limit = new RateLimit(10, 1, () -> 0);
    limit.reserve(Duration.ofSeconds(1));
    RequestCost cost = new RequestCost(CALL);
    cost.pause(Duration.ofMillis(1), new UnavailableException("the API says 503", null));

    assertThatThrownBy(
            () -> cost.await(limit, Deadline.in(Duration.ofMillis(20)), Duration.ofSeconds(10)))
        .hasMessage("the API says 503");
    assertThatThrownBy(
            () -> cost.await(limit, Deadline.in(Duration.ofMillis(20)), Duration.ofMillis(20)))
        .hasMessageContaining("limit of 10 requests a second, raise K8S_CLIENT_QPS");
  }
}
