package io.ocicat.cli.cluster;

import io.ocicat.cli.machine.MachineException;
import io.ocicat.sandbox.store.SandboxRecord;
import io.ocicat.sandbox.store.SandboxRecord.Phase;
import io.ocicat.sandbox.store.SandboxStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A pod of a cluster, found by the files of its node: to ask the node itself takes a JVM.
 *
 * @param alone whether it is a network namespace alone, without a process that holds it
 */
record ClusterPod(NamespaceNode node, String pod, Path netns, boolean alone) {

  /**
   * @param pod as namespace/name
   * @throws MachineException when there is none that is ready
   */
  static ClusterPod find(LocalCluster cluster, String pod) {
    String namespace = pod.substring(0, pod.indexOf('/'));
    String name = pod.substring(pod.indexOf('/') + 1);
    for (NamespaceNode node : cluster.nodes()) {
      Path folder = cluster.pods(node);
      if (!Files.isDirectory(folder)) {
        continue;
      }
      SandboxStore store = new SandboxStore(folder);
      for (String id : store.ofPod(namespace, name)) {
        SandboxRecord record = store.get(id).orElse(null);
        if (record != null && record.phase() == Phase.READY && !record.netns().isEmpty()) {
          return new ClusterPod(node, pod, Path.of(record.netns()), record.infra().equals("none"));
        }
      }
    }
    throw new MachineException(
        "cluster \"%s\" has no pod %s that is ready; see `ocicat cluster status`"
            .formatted(cluster.spec().name(), pod));
  }

  List<String> commandIn(LocalCluster cluster, List<String> command) {
    if (alone) {
      return cluster.inPod(node, netns, command);
    }
    List<String> line = new ArrayList<>(List.of("ocicat", "pod", "exec", pod, "--"));
    line.addAll(command);
    return cluster.onNode(node, line);
  }
}
