package io.ocicat.cli.cluster;

import io.ocicat.base.json.Json;
import io.ocicat.cli.connectivity.ConnectivityMatrix;
import io.ocicat.cli.connectivity.PairResult;
import io.ocicat.cli.machine.MachineException;
import io.ocicat.cni.CniJson;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import tools.jackson.databind.node.ObjectNode;

/**
 * Runs {@code ocicat connectivity} on all nodes of a cluster at the same time: each says which pods
 * it has, is told those of the others, and answers their TCP connections until all have finished.
 */
public final class ClusterConnectivity {
  private static final String SERVING = "serving ";

  private final LocalCluster cluster;

  public ClusterConnectivity(LocalCluster cluster) {
    this.cluster = cluster;
  }

  /**
   * Probes every pair.
   *
   * @param timeoutMillis how long to wait for each answer
   */
  public ConnectivityMatrix run(int timeoutMillis) {
    List<NamespaceNode> nodes = cluster.nodes();
    Map<String, Process> probers = new ConcurrentHashMap<>();
    try {
      Map<String, BufferedReader> output = new ConcurrentHashMap<>();
      for (NamespaceNode node : nodes) {
        Process prober = start(node, timeoutMillis);
        probers.put(node.name(), prober);
        output.put(node.name(), prober.inputReader(StandardCharsets.UTF_8));
      }
      Map<String, String> pods = new ConcurrentHashMap<>();
      NodeMaker.atOnce(
          nodes,
          node ->
              pods.put(
                  node.name(), expect(node, probers, output, SERVING).substring(SERVING.length())));
      ObjectNode everything = Json.object();
      pods.forEach((node, own) -> everything.set(node, CniJson.parse(own)));
      byte[] line = (Json.compact(everything) + "\n").getBytes(StandardCharsets.UTF_8);
      for (Process prober : probers.values()) {
        OutputStream in = prober.getOutputStream();
        in.write(line);
        in.flush();
      }
      Map<String, List<PairResult>> results = new ConcurrentHashMap<>();
      NodeMaker.atOnce(
          nodes, node -> results.put(node.name(), read(expect(node, probers, output, ""))));
      List<PairResult> all = new ArrayList<>();
      nodes.forEach(node -> all.addAll(results.getOrDefault(node.name(), List.of())));
      return new ConnectivityMatrix(all).explainedByBothEnds();
    } catch (IOException e) {
      throw new MachineException("a node of the cluster is gone: " + e.getMessage(), e);
    } finally {
      probers.values().forEach(ClusterConnectivity::end);
    }
  }

  private Process start(NamespaceNode node, int timeoutMillis) throws IOException {
    List<String> command =
        new ArrayList<>(List.of("ocicat", "connectivity", "--json", "--with-others"));
    command.addAll(List.of("--timeout", Integer.toString(timeoutMillis)));
    command.addAll(List.of("--outside", Underlay.OUTSIDE));
    if (cluster.spec().dualStack()) {
      command.addAll(List.of("--outside", Underlay.OUTSIDE_6));
    }
    return new ProcessBuilder(cluster.onNode(node, command)).start();
  }

  /**
   * Its next line.
   *
   * @param word what it must begin with; empty for anything
   */
  private static String expect(
      NamespaceNode node,
      Map<String, Process> probers,
      Map<String, BufferedReader> output,
      String word) {
    Process prober = probers.get(node.name());
    BufferedReader reader = output.get(node.name());
    if (prober == null || reader == null) {
      throw new IllegalStateException(node.name());
    }
    try {
      String line = reader.readLine();
      if (line == null || !line.startsWith(word)) {
        String said =
            new String(prober.getErrorStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        throw new MachineException(
            "%s: %s"
                .formatted(
                    node.name(),
                    said.isEmpty() ? "no answer" : said.replaceFirst("^ocicat: ", "")));
      }
      return line;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static List<PairResult> read(String json) {
    List<PairResult> pairs = new ArrayList<>();
    CniJson.parse(json).forEach(pair -> pairs.add(PairResult.read(pair)));
    return pairs;
  }

  private static void end(Process prober) {
    try {
      prober.getOutputStream().close();
    } catch (IOException _) {
      // It has ended.
    }
    prober.destroy();
  }
}
