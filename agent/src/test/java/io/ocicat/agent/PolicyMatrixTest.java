package io.ocicat.agent;

import io.ocicat.agent.matrix.PolicyWorld;
import io.ocicat.agent.matrix.TruthTable;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Policies of all kinds, each cell of the truth table tried with packets. */
class PolicyMatrixTest {
  @TempDir Path folder;

  @Test
  void withoutPolicyEverythingIsOpen() {
    long t0 = System.nanoTime();
    try (TestCluster cluster = TestCluster.embedded(folder.resolve("datastore"));
        PolicyWorld world = new PolicyWorld(cluster.datastore())) {
      System.out.println("built " + (System.nanoTime() - t0) / 1000000);
      try (TestAgent one =
              new TestAgent(
                  world.node(1), cluster.datastore(), "node1", folder.resolve("1"), Map.of());
          TestAgent two =
              new TestAgent(
                  world.node(2), cluster.datastore(), "node2", folder.resolve("2"), Map.of())) {
        one.awaitSync();
        two.awaitSync();
        System.out.println(
            "agents " + (System.nanoTime() - t0) / 1000000 + one.status() + two.status());
        TruthTable table = new TruthTable(world, true);
        for (int i = 0; i < 20; i++) {
          long c0 = java.lang.management.ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
          table.await("no policy");
          System.out.println("cpu " + (java.lang.management.ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - c0) / 1000000);
          System.out.println("table " + (System.nanoTime() - t0) / 1000000);
        }
      }
      System.out.println(world.prober().cells());
    }
  }
}
