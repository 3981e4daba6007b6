package io.ocicat.cli.agent;

import io.ocicat.agent.AgentService;
import io.ocicat.agent.kernel.RepairLog;
import io.ocicat.cli.options.NodeContext;
import io.ocicat.daemon.state.StateFolders;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Option;

/** {@code ocicat agent}: what calico/node does on a node, in the foreground. */
@Command(
    name = "agent",
    description = {
      "Be the node's agent: keep its routes, tunnels, NAT and policy.",
      "Registers the node and does what calico/node and Felix do, network policy included. Runs in the foreground until told to stop; what is in the"
          + " kernel stays, and the next agent continues from it."
    },
    footer = {
      "",
      "DATASTORE_TYPE, ETCD_ENDPOINTS, KUBECONFIG, …  the datastore, as for calicoctl (default: embedded)",
      "NODENAME, IP, IP6, IP_AUTODETECTION_METHOD, …  this node, as for calico/node",
      "CALICO_IPV4POOL_CIDR, CALICO_IPV4POOL_VXLAN, …  the pools of a new cluster, likewise",
      "FELIX_…                                        any of Felix's parameters",
      "",
      "Example: IP=autodetect ocicat agent"
    },
    mixinStandardHelpOptions = true,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "1:an agent runs already, or the datastore's configuration is invalid",
      "2:the command line is invalid",
      "143:ended by SIGTERM"
    })
public final class AgentCommand implements Callable<Integer> {
  @Option(
      names = "--take-over",
      description =
          "Delete the nf_tables rules that a Felix left, in the transaction that puts ours into"
              + " force.")
  private boolean takeOver;

  private AgentCommand() {}

  public static CommandLine of(NodeContext context) {
    return new CommandLine(new AgentCommand())
        .addSubcommand(new AgentStatusCommand(context))
        .addSubcommand(new AgentConfigCommand(context));
  }

  /** Starts an agent that logs to a line consumer. */
  public static AgentService start(Map<String, String> environment, RepairLog log) {
    return AgentService.start(
        environment, StateFolders.of(environment).run(), line -> log.write("agent: " + line));
  }

  @Override
  public Integer call() throws InterruptedException {
    CountDownLatch stop = new CountDownLatch(1);
    CountDownLatch done = new CountDownLatch(1);
    // The VM ends when its hooks do, so the hook waits for the agent's end.
    Runtime.getRuntime()
        .addShutdownHook(
            Thread.ofPlatform()
                .name("stop")
                .unstarted(
                    () -> {
                      stop.countDown();
                      try {
                        done.await();
                      } catch (InterruptedException _) {
                        Thread.currentThread().interrupt();
                      }
                    }));
    Map<String, String> environment = new HashMap<>(System.getenv());
    if (takeOver) {
      environment.put(AgentService.TAKE_OVER, "true");
    }
    AgentService service = start(environment, System.err::println);
    try {
      stop.await();
    } finally {
      service.close();
      done.countDown();
    }
    return ExitCode.OK;
  }
}
