package io.ocicat.agent;

import io.ocicat.agent.matrix.CalicoCases;
import io.ocicat.agent.matrix.CaseRunner;
import io.ocicat.agent.matrix.ClusterCases;
import io.ocicat.agent.matrix.GeneratedCases;
import io.ocicat.agent.matrix.KubernetesCases;
import io.ocicat.agent.matrix.PolicyCase;
import io.ocicat.agent.matrix.PolicyWorld;
import io.ocicat.agent.matrix.RuleCases;
import io.ocicat.agent.matrix.SetAndHostCases;
import io.ocicat.agent.matrix.TruthTable;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/**
 * Policies of all kinds in one cluster: an oracle says which cells of the truth table are open, and
 * packets must agree, cell by cell. A run takes a sample by a seed that it prints; {@code
 * -Docicat.seed=…} repeats it, and {@code -Docicat.longer=1} runs every case and more random ones.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PolicyMatrixTest {
  private static final boolean LONGER = Integer.getInteger("ocicat.longer", 0) > 0;
  private static final long SEED = Long.getLong("ocicat.seed", System.nanoTime());
  private static final int SAMPLE = 6;
  private static final int RANDOM = LONGER ? 300 * Integer.getInteger("ocicat.longer", 1) : SAMPLE;
  private static final Map<String, String> FELIX =
      Map.of("FELIX_DEFAULTENDPOINTTOHOSTACTION", "ACCEPT");

  private Path folder;
  private TestCluster cluster;
  private PolicyWorld world;
  private final List<TestAgent> agents = new ArrayList<>();
  private final Random random = new Random(SEED);
  private CaseRunner runner;
  private ExplainedCells explained;

  @BeforeAll
  void start(@TempDir Path temporary) {
    folder = temporary;
    cluster = TestCluster.embedded(folder.resolve("datastore"));
    world = new PolicyWorld(cluster.datastore());
    startAgents();
    explained = new ExplainedCells(cluster.datastore());
    TruthTable table = new TruthTable(world, true, explained);
    table.await("without policy");
    runner = new CaseRunner(world, table, this::restart);
  }

  private void startAgents() {
    for (int number = 1; number <= 2; number++) {
      agents.add(
          new TestAgent(
              world.node(number),
              cluster.datastore(),
              "node" + number,
              folder.resolve("" + number),
              FELIX));
    }
  }

  private void restart() {
    stopAgents();
    startAgents();
  }

  private void stopAgents() {
    agents.forEach(TestAgent::close);
    agents.clear();
  }

  @AfterAll
  void stop() {
    System.out.printf(
        "%s, %d cells explained, seed %d%n", runner.summary(), explained.compared(), SEED);
    stopAgents();
    world.close();
    cluster.close();
  }

  private void run(List<PolicyCase> all) {
    List<PolicyCase> chosen = new ArrayList<>(all);
    if (!LONGER) {
      Collections.shuffle(chosen, random);
      chosen = chosen.subList(0, Math.min(SAMPLE, chosen.size()));
    }
    runner.run(chosen);
  }

  @Test
  void policiesOfKubernetes() {
    run(KubernetesCases.all());
    run(GeneratedCases.targets());
    run(GeneratedCases.conflicts());
    run(GeneratedCases.singles());
    runner.finish();
  }

  @Test
  void randomPolicies() {
    for (int i = 0; i < RANDOM; i++) {
      runner.run(GeneratedCases.random(random));
    }
    runner.finish();
  }

  @Test
  void clusterPolicies() {
    run(ClusterCases.all());
    runner.finish();
  }

  @Test
  void policiesOfCalico() {
    run(CalicoCases.all());
    run(RuleCases.all());
    run(SetAndHostCases.all());
    runner.finish();
  }
}
