package io.ocicat.cli.policy;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.cli.DatastoreShell;
import io.ocicat.cli.Shell.Printed;
import java.nio.file.Path;

/** A cluster of three pods on two nodes, in an embedded datastore. */
final class PolicyShell {
  static final String PODS =
      node("node-1", "192.0.2.11")
          + node("node-2", "192.0.2.12")
          + pod("node-1", "default", "client", "10.65.0.2", "cali1", "{app: client}")
          + pod("node-1", "shop", "web", "10.65.0.3", "cali2", "{app: web}")
          + pod("node-2", "shop", "db", "10.65.1.2", "cali3", "{app: db}");

  private final DatastoreShell shell;

  PolicyShell(Path directory) {
    shell = DatastoreShell.embedded(directory.resolve("state")).with("COLUMNS", "100");
    apply(PODS);
  }

  private static String node(String name, String address) {
    return """
        {apiVersion: projectcalico.org/v3, kind: Node, metadata: {name: %s}, spec: {bgp: {ipv4Address: %s/24}}}
        ---
        """
        .formatted(name, address);
  }

  private static String pod(
      String node, String namespace, String pod, String address, String device, String labels) {
    return """
        {apiVersion: projectcalico.org/v3, kind: WorkloadEndpoint,
         metadata: {name: %s-k8s-%s-eth0, namespace: %s, labels: %s},
         spec: {node: %s, orchestrator: k8s, pod: %s, endpoint: eth0, interfaceName: %s,
                ipNetworks: [%s/32], profiles: [kns.%s, ksa.%s.default],
                ports: [{name: http, protocol: TCP, port: 8080}]}}
        ---
        """
        .formatted(
            node.replace("-", "--"),
            pod,
            namespace,
            labels,
            node,
            pod,
            device,
            address,
            namespace,
            namespace);
  }

  void apply(String documents) {
    Printed applied = shell.runWith(documents, "apply", "-f", "-");
    assertThat(applied.exitCode()).as(applied.err()).isZero();
  }

  Printed run(String... args) {
    return shell.run(args);
  }

  Printed runWith(String stdin, String... args) {
    return shell.runWith(stdin, args);
  }
}
