package io.ocicat.cli.ipam;

import io.ocicat.cli.DatastoreShell;
import io.ocicat.cli.Shell;
import io.ocicat.cli.resource.CommandContext;
import io.ocicat.cni.CniJson;
import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.Datastores;
import io.ocicat.datastore.config.DatastoreConfig;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.ip.IpAddress;
import io.ocicat.ipam.Ipam;
import io.ocicat.ipam.model.AssignRequest;
import io.ocicat.ipam.model.CalicoConventions;
import io.ocicat.ipam.model.ClockAndRandom;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import picocli.CommandLine;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Runs {@code ocicat ipam} on a test's datastore, and adds resources to it. */
record IpamShell(DatastoreShell shell, DatastoreConfig config) {
  static IpamShell in(Path directory) {
    return new IpamShell(
        DatastoreShell.embedded(directory), new DatastoreConfig.Embedded(directory));
  }

  Shell.Printed run(String... args) {
    String[] all = new String[args.length + 1];
    all[0] = "ipam";
    System.arraycopy(args, 0, all, 1, args.length);
    return shell.run(all);
  }

  /** The output of gc on a machine whose interfaces have these addresses. */
  String gc(Set<IpAddress> kernel, String... args) {
    CommandContext context =
        new CommandContext(
            shell.environment(),
            Path.of("/nonexistent/calicoctl.cfg"),
            InputStream.nullInputStream(),
            false);
    StringWriter out = new StringWriter();
    int exitCode =
        new CommandLine(new IpamGcCommand(context, () -> kernel))
            .setOut(new PrintWriter(out, true))
            .execute(args);
    return exitCode == 0 ? out.toString() : "exit code " + exitCode;
  }

  /** The output of why on a machine whose interfaces have these addresses. */
  String why(Set<IpAddress> kernel, String... args) {
    CommandContext context =
        new CommandContext(
            shell.environment(),
            Path.of("/nonexistent/calicoctl.cfg"),
            InputStream.nullInputStream(),
            false);
    StringWriter out = new StringWriter();
    int exitCode =
        new CommandLine(new IpamWhyCommand(context, () -> kernel))
            .setOut(new PrintWriter(out, true))
            .execute(args);
    return exitCode == 0 ? out.toString() : "exit code " + exitCode;
  }

  JsonNode json(String... args) {
    return CniJson.parse(run(args).out());
  }

  void apply(String documents) {
    Shell.Printed printed = shell.runWith(documents, "apply", "-f", "-");
    if (printed.exitCode() != 0) {
      throw new IllegalStateException(printed.err());
    }
  }

  void with(Consumer<Datastore> work) {
    try (Datastore datastore = Datastores.openOwn(config)) {
      work.accept(datastore);
    }
  }

  /** As the plugin gives an address to a pod. */
  void assign(String address, String handle, String node, String namespace, String pod) {
    assign(
        address,
        handle,
        node,
        Map.of(
            CalicoConventions.NODE,
            node,
            CalicoConventions.TIMESTAMP,
            "2026-01-01 00:00:01.5 +0000 UTC",
            CalicoConventions.NAMESPACE,
            namespace,
            CalicoConventions.POD,
            pod));
  }

  void assign(String address, String handle, String host, Map<String, String> attributes) {
    with(
        datastore -> {
          try (Ipam ipam = Ipam.forOneCall(datastore, ClockAndRandom.ofSystem())) {
            ipam.assign(new AssignRequest(IpAddress.parse(address), host, handle, attributes));
          }
        });
  }

  void endpoint(String node, String pod, String address) {
    apply(
        """
        {apiVersion: projectcalico.org/v3, kind: WorkloadEndpoint,
         metadata: {name: %s-k8s-%s-eth0, namespace: shop},
         spec: {orchestrator: k8s, node: %s, pod: %s, endpoint: eth0, ipNetworks: [%s],
                profiles: [kns.shop], interfaceName: cali%s}}
        """
            .formatted(node.replace("-", "--"), pod.replace("-", "--"), node, pod, address, pod));
  }

  void create(ResourceKey key, String content) {
    with(datastore -> datastore.create(Resource.of(key, (ObjectNode) CniJson.parse(content))));
  }

  void lock() {
    shell.run("datastore", "lock");
  }
}
