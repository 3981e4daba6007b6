package io.ocicat.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.agent.matrix.Cell;
import io.ocicat.agent.matrix.Flood;
import io.ocicat.agent.matrix.PolicyWorld;
import io.ocicat.agent.matrix.Stored;
import io.ocicat.agent.matrix.TruthTable;
import io.ocicat.testkit.Host;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whatever somebody else does to the table of policy, it stays or comes back. */
class PolicyRepairTest {
  private static final String TABLE = "inet ocicat_policy";

  @TempDir Path folder;

  @Test
  void theTableSurvivesSabotage() {
    try (TestCluster cluster = TestCluster.embedded(folder.resolve("datastore"));
        PolicyWorld world = new PolicyWorld(cluster.datastore())) {
      cluster
          .datastore()
          .create(
              Stored.kubernetes(
                  "x",
                  "p",
                  """
                  {podSelector: {}, policyTypes: [Ingress],
                   ingress: [{from: [{podSelector: {matchLabels: {pod: b}}}], ports: [{port: 80}]}]}
                  """));
      TruthTable table = new TruthTable(world, true);
      List<Cell> cells = world.cells();
      BitSet open = table.expected(cells);
      try (TestAgent _ = agent(world, cluster, 1);
          TestAgent _ = agent(world, cluster, 2)) {
        table.await("before");
        Host node = world.node(1);
        try (Flood flood = Flood.between(world.prober(), cells, open, open)) {
          for (String sabotage :
              List.of(
                  "nft flush ruleset",
                  "nft delete table " + TABLE,
                  "nft add chain " + TABLE + " foreign",
                  "nft flush table " + TABLE,
                  "for chain in $(nft list chains inet | awk '/^table/ {t=$3} /chain/ && t==\"ocicat_policy\" {print $2}'); do"
                      + " nft flush chain "
                      + TABLE
                      + " $chain; done")) {
            node.tryExec("sh", "-c", sabotage);
          }
          assertThat(flood.end()).as("%d rounds", flood.rounds()).isEmpty();
        }
        table.await("after sabotage");
      }
      // Nobody owns the table now.
      for (String sabotage :
          List.of("nft flush ruleset", "nft flush table " + TABLE, "nft delete table " + TABLE)) {
        world.node(1).tryExec("sh", "-c", sabotage);
        try (TestAgent _ = agent(world, cluster, 1);
            TestAgent _ = agent(world, cluster, 2)) {
          table.await("a start after " + sabotage);
        }
      }
    }
  }

  private TestAgent agent(PolicyWorld world, TestCluster cluster, int number) {
    return new TestAgent(
            world.node(number),
            cluster.datastore(),
            "node" + number,
            folder.resolve("" + number),
            Map.of("FELIX_DEFAULTENDPOINTTOHOSTACTION", "ACCEPT"))
        .awaitSync();
  }
}
