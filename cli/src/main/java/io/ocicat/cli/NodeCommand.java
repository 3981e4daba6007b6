package io.ocicat.cli;

import io.ocicat.agent.AgentService;
import io.ocicat.cli.agent.AgentCommand;
import io.ocicat.daemon.call.PluginExecutables;
import io.ocicat.plugins.resident.EndpointReadiness;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

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

  @Override
  public Integer call() throws Exception {
    return daemon.with(NodeCommand::startAgent).call();
  }

  /** Plugins that wait for an endpoint are woken by the agent itself. */
  private static AgentService startAgent(PluginExecutables plugins) {
    AgentService agent = AgentCommand.start(System.getenv(), System.err::println);
    plugins.introduce(EndpointReadiness.Client.class, client -> client.awaitBy(agent.readiness()));
    return agent;
  }
}
