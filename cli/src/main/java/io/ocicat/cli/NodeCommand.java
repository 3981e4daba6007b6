package io.ocicat.cli;

import io.ocicat.agent.AgentService;
import io.ocicat.cli.agent.AgentCommand;
import io.ocicat.cli.cri.CriOptions;
import io.ocicat.cli.cri.CriProcess;
import io.ocicat.cli.options.NodeContext;
import io.ocicat.cli.pod.PodContext;
import io.ocicat.daemon.call.PluginExecutables;
import io.ocicat.plugins.resident.EndpointReadiness;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code ocicat node}: daemon and agent in one process. */
@Command(
    name = "node",
    description = {
      "Serve plugin calls and be the node's agent, in one process.",
      "The same as \"ocicat daemon\" and \"ocicat agent\", for less memory. Runs in the foreground"
          + " until told to stop; what is in the kernel stays."
    },
    footer = {
      "",
      "The variables of \"ocicat daemon\" and of \"ocicat agent\" apply.",
      "",
      "Example: DATASTORE_TYPE=etcdv3 ETCD_ENDPOINTS=http://10.0.0.1:2379 ocicat node"
    },
    mixinStandardHelpOptions = true,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:another daemon has taken over",
      "1:it could not serve, or an agent runs already",
      "2:the command line is invalid",
      "143:ended by SIGTERM, with the calls under way answered"
    })
final class NodeCommand implements Callable<Integer> {
  @Mixin private final DaemonCommand daemon = new DaemonCommand();

  @Option(
      names = "--cri",
      description =
          "Be kubelet's container runtime as well: the same as \"ocicat cri\" with its defaults.")
  private boolean cri;

  @Override
  public Integer call() throws Exception {
    return daemon.with(cri ? NodeCommand::startAgentAndCri : NodeCommand::startAgent).call();
  }

  /** The runtime ends first: what it still has under way may need the agent. */
  private static AutoCloseable startAgentAndCri(PluginExecutables plugins) {
    AgentService agent = startAgent(plugins);
    try {
      CriProcess runtime = startCri();
      return () -> {
        try (agent) {
          runtime.close();
        }
      };
    } catch (RuntimeException e) {
      agent.close();
      throw e;
    }
  }

  private static CriProcess startCri() {
    PluginProcess ours = PluginProcess.fromDistribution();
    PodContext machine =
        new PodContext(
            NodeContext.here(System.getenv(), ours.ours()), System.getenv(), ours.executables());
    return CriProcess.start(
        machine,
        new CriOptions(),
        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
        new PrintWriter(System.err, true, StandardCharsets.UTF_8),
        System.err::println);
  }

  /** Plugins that wait for an endpoint are woken by the agent itself. */
  private static AgentService startAgent(PluginExecutables plugins) {
    AgentService agent = AgentCommand.start(System.getenv(), System.err::println);
    plugins.introduce(EndpointReadiness.Client.class, client -> client.awaitBy(agent.readiness()));
    return agent;
  }
}
