package io.ocicat.cli.demo;

import io.ocicat.base.json.Json;
import io.ocicat.cli.cluster.ClusterFolder;
import io.ocicat.cli.cluster.ClusterNetwork;
import io.ocicat.cli.doctor.KernelProbe;
import io.ocicat.cli.machine.InstalledPrograms;
import io.ocicat.cli.machine.MachineException;
import io.ocicat.cli.machine.Preflight;
import io.ocicat.cli.options.NodeContext;
import io.ocicat.cli.terminal.TerminalWidth;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** {@code ocicat demo}: runs pods on a temporary node and explains what happens. */
@Command(
    name = "demo",
    description = {
      "Show the whole chain at work, from the sandbox to the wire.",
      "Three pods run on a node that is made for them. Everything is in namespaces of its own; nothing on this machine changes."
    },
    footer = {
      "",
      "Root needs nothing else; for everybody else the kernel must allow user namespaces.",
      "Ctrl-C removes everything.",
      "",
      "Example: ocicat demo --keep",
      "         ocicat demo --shell -- ip route",
      "         ocicat demo --nodes 3",
      "         ocicat demo --flannel --nodes 3"
    },
    mixinStandardHelpOptions = true,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:everything worked, and nothing is left",
      "1:something failed or is left, or the demo could not start",
      "2:the command line is invalid; nothing was done",
      "130:interrupted by Ctrl-C, and everything was removed"
    })
public final class DemoCommand implements Callable<Integer> {
  private final NodeContext context;
  private final Map<String, String> environment;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--flannel",
      description = "Show flannel, bridge and host-local instead of Calico's plugins.")
  private boolean flannel;

  @Option(names = "--keep", description = "Leave it up to look around.")
  private boolean keep;

  @Option(
      names = "--shell",
      description = "Open a shell on the node that was left up, or run COMMAND there.")
  private boolean shell;

  @Parameters(
      paramLabel = "COMMAND",
      arity = "0..*",
      description = "With --shell: what to run on the node, after --.")
  private List<String> command = List.of();

  @Option(names = "--end", description = "Remove what was left up.")
  private boolean end;

  @Option(
      names = "--nodes",
      paramLabel = "N",
      description = "Show a cluster of so many nodes, whose pods reach each other.")
  private @Nullable Integer nodes;

  @Option(
      names = "--json",
      description = "Print what was found, as JSON, instead of the narration.")
  private boolean json;

  @Option(names = "--look", hidden = true, description = "Describe the node this runs on.")
  private boolean look;

  @Option(names = "--probe", hidden = true, description = "With --look: try the kernel, too.")
  private boolean probe;

  @Option(
      names = "--kernel",
      hidden = true,
      paramLabel = "NETNS",
      description = "Print the links and routes of the node this runs on, and of a pod.")
  private @Nullable Path kernel;

  @Option(names = "--wire", hidden = true, description = "Give the node this runs on its network.")
  private boolean wire;

  @Option(
      names = "--ping",
      hidden = true,
      paramLabel = "ADDRESS",
      description = "Send an ICMP echo request from where this runs.")
  private @Nullable String ping;

  public DemoCommand(NodeContext context, Map<String, String> environment) {
    this.context = context;
    this.environment = Map.copyOf(environment);
  }

  @Override
  public Integer call() {
    if ((keep ? 1 : 0) + (shell ? 1 : 0) + (end ? 1 : 0) > 1) {
      throw new ParameterException(spec.commandLine(), "give one of --keep, --shell and --end");
    }
    if (!command.isEmpty() && !shell) {
      throw new ParameterException(
          spec.commandLine(), "a command is only run with --shell: " + command.getFirst());
    }
    if (nodes != null) {
      return showNodes(nodes);
    }
    if (look) {
      out().println(Json.compact(inspect()));
      return 0;
    }
    if (wire) {
      NodeNetwork.build();
      return 0;
    }
    if (kernel != null) {
      out().println(Json.compact(KernelJson.ofNodeAnd(kernel)));
      return 0;
    }
    if (ping != null) {
      out().println(Ping.millis(ping));
      return 0;
    }
    InstalledPrograms installed = Preflight.distribution("demo");
    KeptDemo kept = KeptDemo.of(environment, Preflight.uid());
    ObjectNode facts = Json.object();
    DemoNarrator narrator = narrator();
    int code;
    if (shell) {
      return openShell(found(kept, installed));
    } else if (end) {
      code = end(found(kept, installed), 1, narrator, facts);
      kept.forget();
    } else {
      if (keep && kept.find(installed).isPresent()) {
        throw new MachineException(
            "a demo is up already: look around with --shell, or --end it first");
      }
      code = runDemo(installed, kept, narrator, facts);
    }
    if (json) {
      out().println(Json.pretty(facts));
    }
    return code;
  }

  private int showNodes(int count) {
    if (shell || end) {
      throw new ParameterException(
          spec.commandLine(), "--nodes goes with --flannel, --keep and --json alone");
    }
    if (count < 2 || count > 9) {
      throw new ParameterException(
          spec.commandLine(), "--nodes must be 2–9, not %d".formatted(count));
    }
    ObjectNode facts = Json.object();
    int code =
        new NodesDemo(
                Preflight.distribution("demo"),
                ClusterFolder.of(environment, NodesDemo.NAME),
                narrator(),
                spec.commandLine().getErr(),
                facts)
            .run(flannel ? ClusterNetwork.FLANNEL_VXLAN : ClusterNetwork.CALICO, count, keep);
    if (json) {
      out().println(Json.pretty(facts));
    }
    return code;
  }

  private DemoNarrator narrator() {
    return new DemoNarrator(
        json ? new PrintWriter(Writer.nullWriter()) : out(),
        context.colours(),
        TerminalWidth.forProse(context));
  }

  private PrintWriter out() {
    return spec.commandLine().getOut();
  }

  private DemoNode found(KeptDemo kept, InstalledPrograms installed) {
    return kept.find(installed)
        .orElseThrow(
            () -> new MachineException("no demo is up: start one with ./ocicat demo --keep"));
  }

  private int runDemo(
      InstalledPrograms installed, KeptDemo kept, DemoNarrator narrator, ObjectNode facts) {
    long begin = System.nanoTime();
    boolean users = Preflight.needsUserNamespace();
    narrator.title("Ocicat: how three pods get their network");
    narrator.title("Everything happens in namespaces of its own; nothing on this machine changes.");
    narrator.chapter(1, "A node of its own");
    DemoNode demoNode = DemoNode.open(installed, users);
    DemoInterrupt interruption =
        DemoInterrupt.closing(demoNode::close, spec.commandLine().getErr());
    try {
      narrator.paragraph(
          "Network, mount, process and host name namespaces%s: node-1 with eth0 192.0.2.10, and at the"
                  .formatted(users ? " in a user namespace (you are not root)" : "")
              + " other end of its wire a machine outside the node, 192.0.2.20.");
      DemoNetwork chain = flannel ? DemoNetwork.FLANNEL : DemoNetwork.CALICO;
      DemoScript script =
          new DemoScript(demoNode, chain, narrator, new AddDrawing(narrator), facts);
      script.startDaemon();
      script.configure();
      script.runPods();
      script.ping();
      script.fetch();
      script.showLeases();
      script.showSteps();
      if (keep) {
        kept.save(demoNode);
        demoNode.keep();
        interruption.disarm();
        facts.put("holder", demoNode.holder().pid());
        tellKept(narrator, chain, facts.putArray("hints"));
        return 0;
      }
      int code = end(demoNode, 9, narrator, facts);
      interruption.disarm();
      facts.put("seconds", (System.nanoTime() - begin) / 1e9);
      narrator.close(
          "That was everything, in %s. Next: --keep leaves it up to look around; %s; README.md has the rest."
              .formatted(DemoNarrator.seconds(System.nanoTime() - begin), chain.other()));
      return code;
    } catch (RuntimeException e) {
      interruption.disarm();
      demoNode.close();
      throw e;
    }
  }

  private static int end(DemoNode demoNode, int chapter, DemoNarrator narrator, ObjectNode facts) {
    List<String> left = Teardown.run(demoNode, chapter, narrator, facts);
    demoNode.close();
    narrator.fine("the daemon has stopped, and the node with its namespaces is gone");
    return left.isEmpty() ? 0 : 1;
  }

  private static void tellKept(DemoNarrator narrator, DemoNetwork chain, ArrayNode hints) {
    narrator.line("");
    narrator.title("It stays up. To look around:");
    narrator.command("./ocicat demo --shell");
    narrator.paragraph("opens a shell on the node. In it, for instance:");
    for (DemoNetwork.Hint hint : chain.hints()) {
      narrator.show("  %-32s %s".formatted(hint.command(), hint.shows()));
      hints.add(hint.command());
    }
    narrator.command("./ocicat demo --end");
    narrator.paragraph("removes everything.");
  }

  /** In the demo's own folder: files that the user creates there go with the node. */
  private int openShell(DemoNode demoNode) {
    List<String> inside =
        demoNode.inside("PS1=node-1# ", "sh", "-c", "cd \"$0\" && exec \"$@\"", DemoNode.FOLDER);
    inside.addAll(command.isEmpty() ? List.of("bash", "--norc") : command);
    try {
      return new ProcessBuilder(inside).inheritIO().start().waitFor();
    } catch (IOException e) {
      throw new MachineException("cannot run nsenter: " + e.getMessage(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new MachineException("interrupted", e);
    }
  }

  /**
   * Includes what the kernel lacks, if requested; on such a kernel there may be no node to inspect.
   */
  private ObjectNode inspect() {
    List<KernelProbe.Missing> missing = probe ? KernelProbe.run() : List.of();
    ObjectNode seen =
        missing.stream().anyMatch(DemoNetwork::allNeed)
            ? Json.object()
            : NodeSnapshot.take(environment).toJson();
    if (probe) {
      ArrayNode list = seen.putArray("missing");
      for (KernelProbe.Missing feature : missing) {
        list.addObject()
            .put("name", feature.feature().name())
            .put("needed", feature.feature().needed())
            .put("option", feature.feature().option())
            .put("reason", feature.reason());
      }
    }
    return seen;
  }
}
