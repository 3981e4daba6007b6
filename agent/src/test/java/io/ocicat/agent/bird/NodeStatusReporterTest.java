package io.ocicat.agent.bird;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.base.json.Json;
import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.Datastores;
import io.ocicat.datastore.config.DatastoreConfig;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.testkit.Eventually;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** A CalicoNodeStatus about this node gets what BIRD says, in Calico's form. */
@Hosts
class NodeStatusReporterTest {
  private static final Clock CLOCK =
      Clock.fixed(Instant.parse("2026-11-18T05:27:16.789Z"), ZoneOffset.UTC);
  private static final String A = "10.7.0.1";
  private static final String B = "10.7.0.2";

  @TempDir Path folderA;
  @TempDir Path folderB;
  @TempDir Path store;

  private final List<String> log = new CopyOnWriteArrayList<>();

  private static void create(Datastore datastore, String name, String node, int period) {
    datastore.create(
        Resource.of(
            (ResourceKey.Named) ResourceKey.of(Kind.CALICO_NODE_STATUS, name),
            spec -> {
              spec.put("node", node).put("updatePeriodSeconds", period);
              spec.putArray("classes").add("Agent").add("BGP").add("Routes");
            }));
  }

  private static JsonNode status(Datastore datastore, String name) {
    return datastore.get(ResourceKey.of(Kind.CALICO_NODE_STATUS, name)).content().path("status");
  }

  private NodeStatusReporter reporter(Datastore datastore) {
    return NodeStatusReporter.start(datastore, "node1", folderA, CLOCK, log::add);
  }

  @Test
  void sessionsAndRoutesAreReportedAndFollowed(Host a, Host b) {
    a.connect(b, A + "/24", B + "/24");
    try (Datastore datastore = Datastores.openOwn(new DatastoreConfig.Embedded(store));
        TestBird one = new TestBird(a, folderA).want(TestBird.mesh(A, B));
        TestBird two = new TestBird(b, folderB).want(TestBird.mesh(B, A));
        NodeStatusReporter reporter = reporter(datastore)) {
      Eventually.await(
          "the session",
          TestBird.LIMIT,
          () -> one.sessions().stream().anyMatch(BgpSession::isEstablished));
      create(datastore, "ours", "node1", 1);
      create(datastore, "theirs", "node2", 1);
      Eventually.passes(
          TestBird.LIMIT,
          () -> {
            JsonNode status = status(datastore, "ours");
            assertThat(status.path("lastUpdated").asString(""))
                .as("%s %s", status, log)
                .isEqualTo("2026-11-18T05:27:16Z");
            JsonNode bird = status.path("agent").path("birdV4");
            assertThat(bird.path("state").asString("")).isEqualTo("Ready");
            assertThat(bird.path("version").asString("")).startsWith("2.");
            assertThat(bird.path("routerID").asString("")).isEqualTo(A);
            JsonNode bgp = status.path("bgp");
            assertThat(bgp.path("numberEstablishedV4").asInt(-1)).isOne();
            assertThat(bgp.path("numberNotEstablishedV4").asInt(-1)).isZero();
            JsonNode peer = bgp.path("peersV4").path(0);
            assertThat(peer.path("peerIP").asString("")).isEqualTo(B);
            assertThat(peer.path("type").asString("")).isEqualTo("NodeMesh");
            assertThat(peer.path("state").asString("")).isEqualTo("Established");
            assertThat(peer.path("since").asString("")).isNotEmpty();
            assertThat(status.path("routes").path("routesV4").valueStream())
                .contains(
                    Json.object()
                        .put("type", "FIB")
                        .put("destination", "10.1.0.0/32")
                        .put("gateway", "N/A")
                        .put("interface", "blackhole")
                        .set("learnedFrom", Json.object().put("sourceType", "Static")),
                    Json.object()
                        .put("type", "FIB")
                        .put("destination", "10.2.0.0/32")
                        .put("gateway", B)
                        .put("interface", "wire0")
                        .set(
                            "learnedFrom",
                            Json.object().put("sourceType", "NodeMesh").put("peerIP", B)));
          });
      assertThat(status(datastore, "theirs").path("lastUpdated").asString("")).isEmpty();
      // The peer goes away: the next report says so.
      two.reconciler.stop();
      Eventually.await(
          "the loss",
          TestBird.LIMIT,
          () -> status(datastore, "ours").path("bgp").path("numberNotEstablishedV4").asInt(0) == 1);
      assertThat(reporter.problem()).isEmpty();
    }
  }

  @Test
  void withoutBirdTheNodeIsNotReadyAndPeriodZeroReportsOnce() {
    try (Datastore datastore = Datastores.openOwn(new DatastoreConfig.Embedded(store));
        NodeStatusReporter reporter = reporter(datastore)) {
      create(datastore, "once", "node1", 0);
      Eventually.await(
          "the status; " + log,
          TestBird.LIMIT,
          () ->
              status(datastore, "once")
                  .path("agent")
                  .path("birdV4")
                  .path("state")
                  .asString("")
                  .equals("NotReady"));
      Resource resource = datastore.get(ResourceKey.of(Kind.CALICO_NODE_STATUS, "once"));
      assertThat(
              resource.content().path("status").path("bgp").path("numberEstablishedV4").asInt(-1))
          .isZero();
      // Not asked for again: whatever somebody writes there stays.
      var content = resource.content();
      ((tools.jackson.databind.node.ObjectNode) content.path("status"))
          .put("lastUpdated", "2020-01-01T00:00:00Z");
      datastore.update(Resource.stored(resource.key(), content, resource.revision()));
      create(datastore, "later", "node1", 1);
      Eventually.await(
          "another one",
          () -> !status(datastore, "later").path("lastUpdated").asString("").isEmpty());
      assertThat(status(datastore, "once").path("lastUpdated").asString(""))
          .isEqualTo("2020-01-01T00:00:00Z");
      assertThat(reporter.problem()).isEmpty();
    }
  }
}
