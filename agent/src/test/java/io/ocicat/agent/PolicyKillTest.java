package io.ocicat.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.agent.matrix.Actor;
import io.ocicat.agent.matrix.Cell;
import io.ocicat.agent.matrix.Flood;
import io.ocicat.agent.matrix.PolicyWorld;
import io.ocicat.agent.matrix.Stored;
import io.ocicat.agent.matrix.TruthTable;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/**
 * Kills an agent with SIGKILL at each exchange with kernel and datastore while packets flow: what
 * policy closes before and after is never open in between, and what it allows before and after is
 * never lost. Points are chosen as in {@link AgentKillTest}.
 */
class PolicyKillTest {
  private static final int KILLS = 1;
  private static final Resource CLOSED =
      Stored.kubernetes("x", "closed", "{podSelector: {}, policyTypes: [Ingress]}");
  private static final Resource OPENED =
      Stored.kubernetes(
          "x",
          "opened",
          """
          {podSelector: {matchLabels: {pod: a}}, policyTypes: [Ingress],
           ingress: [{from: [{podSelector: {matchLabels: {pod: b}}}]}]}
          """);
  private static final Resource EGRESS =
      Stored.global(
          "egress",
          "{selector: pod == 'c', types: [Egress], egress: [{action: Allow, protocol: UDP}]}");
  private static final Resource SET =
      Stored.labelled(
          Stored.of(Kind.GLOBAL_NETWORK_SET, "", "set", "{nets: [192.168.7.0/24]}"),
          Map.of("role", "lan"));
  private static final Resource BY_SET =
      Stored.calico(
          "y",
          "by-set",
          "{order: 5, types: [Ingress], ingress: [{action: Deny, source: {namespaceSelector: global(), selector: role == 'lan'}}, {action: Allow}]}");

  @TempDir Path folder;
  private TestCluster cluster;
  private PolicyWorld world;
  private TestAgent other;
  private TruthTable table;

  @BeforeEach
  void start() {
    cluster = TestCluster.embedded(folder.resolve("datastore"));
    world = new PolicyWorld(cluster.datastore());
    cluster.datastore().create(CLOSED);
    cluster.datastore().create(EGRESS);
    other =
        new TestAgent(
            world.node(2),
            cluster.datastore(),
            "node2",
            folder.resolve("2"),
            Map.of("FELIX_DEFAULTENDPOINTTOHOSTACTION", "ACCEPT"));
    table = new TruthTable(world, true);
  }

  @AfterEach
  void stop() {
    other.close();
    world.close();
    cluster.close();
  }

  private static List<Integer> points(int all) {
    if (Integer.getInteger("ocicat.longer", 0) > 0) {
      return IntStream.rangeClosed(1, all).boxed().toList();
    }
    long round = Long.getLong("ocicat.round", LocalDate.now(ZoneOffset.UTC).toEpochDay());
    return IntStream.range(0, KILLS)
        .mapToObj(kill -> Math.floorMod(round * KILLS + kill, all) + 1)
        .distinct()
        .toList();
  }

  private AgentProcess startAgent(Path own) {
    return AgentProcess.start(
        world.node(1),
        own,
        Map.of(
            "DATASTORE_TYPE", "embedded",
            "OCICAT_STATE_DIR", folder.resolve("datastore").toString(),
            "NODENAME", "node1",
            "IP", "192.168.7.1/24",
            "IP6", "fd00:7::1/64",
            "NO_DEFAULT_POOLS", "true",
            "FELIX_DEFAULTENDPOINTTOHOSTACTION", "ACCEPT"));
  }

  private static boolean isReady(JsonNode report) {
    return report.path("ready").asBoolean();
  }

  /** Something for every part of the table: endpoints, chains, sets and their members. */
  private void update() {
    cluster.datastore().create(OPENED);
    cluster.datastore().create(SET);
    cluster.datastore().create(BY_SET);
    world.setPodLabels(world.pod("z", "c"), Map.of("pod", "c", "new", "label"));
    world.setPodLabels(world.pod("y", "b"), Map.of("pod", "c"));
  }

  private void revert() {
    cluster.datastore().delete(BY_SET.key(), null);
    cluster.datastore().delete(SET.key(), null);
    cluster.datastore().delete(OPENED.key(), null);
    world.restore();
  }

  @Test
  void neitherOpensNorLosesAnythingWhenKilledDuringAnUpdate() {
    Path own = folder.resolve("1");
    List<Cell> cells = world.cells();
    AgentProcess agent = startAgent(own);
    try {
      agent.awaitReport("ready", PolicyKillTest::isReady);
      table.await("before");
      BitSet before = table.expected(cells);
      AgentProcess.dieAt(own, 0);
      update();
      table.await("after");
      BitSet after = table.expected(cells);
      int all = AgentProcess.passed(own).size();
      AgentProcess.dieNowhere(own);
      revert();
      table.await("reverted");
      for (int point : points(all)) {
        String where;
        try (Flood flood = Flood.between(world.prober(), cells, before, after)) {
          AgentProcess.dieAt(own, point);
          update();
          agent.awaitDeath();
          AgentProcess.dieNowhere(own);
          where = "killed at point %d of %d, %s".formatted(point, all, AgentProcess.passed(own));
          agent.close();
          agent = startAgent(own);
          agent.awaitReport(where, PolicyKillTest::isReady);
          assertThat(flood.end()).as(where + ", " + flood.rounds() + " rounds").isEmpty();
        }
        table.await(where);
        revert();
        table.await(where + ", reverted");
      }
    } finally {
      agent.close();
    }
  }

  @Test
  void neitherOpensNorLosesAnythingWhenKilledDuringAStart() {
    Path own = folder.resolve("1");
    List<Cell> cells = world.cells();
    try (AgentProcess agent = startAgent(own)) {
      agent.awaitReport("ready", PolicyKillTest::isReady);
      table.await("before");
    }
    BitSet before = table.expected(cells);
    update();
    AgentProcess.dieAt(own, 0);
    try (AgentProcess agent = startAgent(own)) {
      agent.awaitReport("ready", PolicyKillTest::isReady);
      table.await("after");
    }
    BitSet after = table.expected(cells);
    int all = AgentProcess.passed(own).size();
    AgentProcess.dieNowhere(own);
    for (int point : points(all)) {
      revert();
      try (AgentProcess agent = startAgent(own)) {
        agent.awaitReport("ready", PolicyKillTest::isReady);
        table.await("reverted");
      }
      String where;
      try (Flood flood = Flood.between(world.prober(), cells, before, after)) {
        update();
        AgentProcess.dieAt(own, point);
        try (AgentProcess killed = startAgent(own)) {
          killed.awaitDeath();
        }
        AgentProcess.dieNowhere(own);
        where = "killed at point %d of %d, %s".formatted(point, all, AgentProcess.passed(own));
        try (AgentProcess next = startAgent(own)) {
          next.awaitReport(where, PolicyKillTest::isReady);
          assertThat(flood.end()).as(where + ", " + flood.rounds() + " rounds").isEmpty();
          table.await(where);
        }
      }
    }
  }

  @Test
  void aPodIsClosedBeforeItsFirstPacketEvenWithoutAnAgent() {
    Path own = folder.resolve("1");
    try (AgentProcess agent = startAgent(own)) {
      agent.awaitReport("ready", PolicyKillTest::isReady);
      table.await("before");
      Actor early = world.attach("x", "d", 1, 12);
      assertNothingPasses(early, "a link without an endpoint");
      world.detach(early);
    }
    Actor late = world.attach("x", "d", 1, 12);
    assertNothingPasses(late, "a link without an endpoint or an agent");
    Actor again = world.relink(world.pod("x", "a"));
    assertNothingPasses(again, "a new link under the name of an old one, without an agent");
  }

  private void assertNothingPasses(Actor pod, String what) {
    world.routeTo(pod);
    List<Cell> cells =
        world.cells().stream()
            .filter(cell -> cell.from().equals(pod) || cell.to().equals(pod))
            .filter(cell -> cell.from().type() != Actor.Type.NODE)
            .toList();
    BitSet answered = world.prober().probe(cells, new BitSet(), false);
    assertThat(answered.isEmpty())
        .as("%s: %s", what, TruthTable.describe(cells, new BitSet(), answered))
        .isTrue();
  }
}
