package io.ocicat.cli.policy;

import io.ocicat.agent.filter.PolicyDirection;
import io.ocicat.agent.policy.explain.ApplyingPolicies;
import io.ocicat.agent.policy.model.PolicyMember;
import io.ocicat.base.json.Json;
import io.ocicat.cli.resource.CommandContext;
import io.ocicat.cli.resource.CommandException;
import io.ocicat.cli.resource.ResourceCommand;
import io.ocicat.cli.terminal.TerminalWidth;
import io.ocicat.netlink.NetlinkSocket;
import io.ocicat.netlink.Protocol;
import io.ocicat.netlink.link.Links;
import io.ocicat.netlink.linux.NetlinkException;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.node.ObjectNode;

/** {@code ocicat policy show}: everything that applies to a pod, in the order it is evaluated. */
@Command(
    name = "show",
    description = {
      "Show the tiers, policies and rules that apply to a pod, in the order they are evaluated.",
      "On the pod's node, also how many packets each rule has decided about: the first of each flow, of all pods of the node that share the rule."
    },
    footer = {"", "Example: ocicat policy show shop/web"},
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:shown",
      "1:there is no such pod, or the datastore cannot be read",
      "2:the command line is invalid; nothing was done"
    })
final class PolicyShowCommand extends ResourceCommand {
  @Parameters(
      index = "0",
      paramLabel = "POD",
      description = "namespace/name of a pod, or one of its addresses.")
  private String pod = "";

  @Option(names = "--json", description = "Print JSON.")
  private boolean json;

  PolicyShowCommand(CommandContext context) {
    super(context);
  }

  @Override
  protected int run() {
    return withDatastore(
        datastore -> {
          StoredPolicy policy = StoredPolicy.read(datastore);
          FlowEnd end = FlowEnd.find(policy, pod);
          if (end.endpoints().isEmpty()) {
            throw new CommandException("%s is not the address of a pod".formatted(pod));
          }
          ObjectNode report = Json.object();
          IndentedText text =
              new IndentedText(out(), TerminalWidth.forProse(context.environment()));
          var endpoints = report.putArray("endpoints");
          for (PolicyMember.Workload endpoint : end.endpoints()) {
            if (json) {
              endpoints.add(json(policy, endpoint));
            } else {
              print(policy, endpoint, text);
            }
          }
          if (json) {
            PolicyProblems.addTo(report, policy);
            out().println(Json.pretty(report));
          } else {
            PolicyProblems.print(text, policy);
          }
          out().flush();
          return 0;
        });
  }

  private static void print(
      StoredPolicy policy, PolicyMember.Workload endpoint, IndentedText text) {
    RuleCounters counters = counters(endpoint);
    text.line(
        0,
        "%s (%s) on %s, %s"
            .formatted(
                endpoint.rank().workload(),
                String.join(", ", addresses(endpoint)),
                endpoint.node(),
                endpoint.interfaceName()));
    for (PolicyDirection direction : PolicyDirection.values()) {
      text.blank();
      text.line(0, StepText.direction(direction));
      ApplyingPolicies applying = policy.snapshot().applying(endpoint, direction);
      new ApplyingText(direction, counters).print(applying, text);
    }
  }

  private static ObjectNode json(StoredPolicy policy, PolicyMember.Workload endpoint) {
    RuleCounters counters = counters(endpoint);
    ObjectNode json = Json.object().put("pod", endpoint.rank().workload());
    json.set("addresses", Json.array(addresses(endpoint)));
    json.put("node", endpoint.node()).put("interface", endpoint.interfaceName());
    ObjectNode labels = json.putObject("labels");
    policy.snapshot().labels(endpoint).entrySet().stream()
        .sorted(Map.Entry.comparingByKey())
        .forEach(label -> labels.put(label.getKey(), label.getValue()));
    for (PolicyDirection direction : PolicyDirection.values()) {
      json.set(
          StepText.direction(direction),
          new ApplyingText(direction, counters)
              .json(policy.snapshot().applying(endpoint, direction)));
    }
    return json;
  }

  private static List<String> addresses(PolicyMember.Workload endpoint) {
    return endpoint.nets().stream().map(net -> net.address().toString()).toList();
  }

  /** Only the node that has the pod's interface enforces its policies. */
  private static RuleCounters counters(PolicyMember.Workload endpoint) {
    if (endpoint.interfaceName().isEmpty()) {
      return RuleCounters.none();
    }
    try (NetlinkSocket socket = NetlinkSocket.open(Protocol.ROUTE)) {
      return socket.find(Links.named(endpoint.interfaceName())).isPresent()
          ? RuleCounters.here()
          : RuleCounters.none();
    } catch (NetlinkException _) {
      return RuleCounters.none();
    }
  }
}
