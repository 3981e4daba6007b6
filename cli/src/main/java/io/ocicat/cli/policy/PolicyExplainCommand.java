package io.ocicat.cli.policy;

import io.ocicat.base.json.Json;
import io.ocicat.cli.resource.CommandContext;
import io.ocicat.cli.resource.ResourceCommand;
import io.ocicat.cli.resource.UsageException;
import io.ocicat.cli.terminal.TerminalWidth;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.node.ObjectNode;

/** {@code ocicat policy explain}: which rule decides about a flow, and why no earlier one did. */
@Command(
    name = "explain",
    description = {
      "Say which rule allows or denies a flow, in each direction, and why the rules before it do not match.",
      "Evaluates what is stored; no packet is sent. Rules of host endpoints are not looked at."
    },
    footer = {
      "",
      "Example: ocicat policy explain shop/cart shop/db --port 5432/tcp",
      "         ocicat policy explain 198.51.100.10 shop/web --port 443/tcp --expect allow"
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:explained; with --expect, as expected",
      "1:not as expected, or there is no such pod",
      "2:the command line is invalid; nothing was done"
    })
final class PolicyExplainCommand extends ResourceCommand {
  @Parameters(
      index = "0",
      paramLabel = "FROM",
      description = "The sender: namespace/name of a pod, or an address.")
  private String from = "";

  @Parameters(
      index = "1",
      paramLabel = "TO",
      description = "The receiver: namespace/name of a pod, or an address.")
  private String to = "";

  @Option(
      names = "--port",
      paramLabel = "PORT/PROTOCOL",
      defaultValue = "80/tcp",
      description =
          "80/tcp, 53/udp, 9/sctp, or icmp for an echo request (default: ${DEFAULT-VALUE}).")
  private String port = "80/tcp";

  @Option(names = "-6", description = "IPv6 where both have both (default: IPv4).")
  private boolean v6;

  @Option(
      names = "--expect",
      paramLabel = "allow|deny",
      description = "End with 1 when the verdict is the other.")
  private @Nullable String expect;

  @Option(names = "--json", description = "Print JSON.")
  private boolean json;

  PolicyExplainCommand(CommandContext context) {
    super(context);
  }

  @Override
  protected int run() {
    if (expect != null && !List.of("allow", "deny").contains(expect)) {
      throw new UsageException("--expect must be allow or deny, not \"%s\"".formatted(expect));
    }
    FlowPort flow = FlowPort.parse(port);
    return withDatastore(
        datastore -> {
          StoredPolicy policy = StoredPolicy.read(datastore);
          FlowVerdict verdict =
              FlowVerdict.of(
                  policy, FlowEnd.find(policy, from), FlowEnd.find(policy, to), flow, v6);
          print(policy, verdict);
          boolean asExpected = expect == null || expect.equals("allow") == verdict.isAllowed();
          if (!asExpected) {
            err().println("ocicat: expected %s".formatted(expect));
          }
          return asExpected ? 0 : 1;
        });
  }

  private void print(StoredPolicy policy, FlowVerdict verdict) {
    if (json) {
      ObjectNode report = FlowText.json(verdict);
      PolicyProblems.addTo(report, policy);
      out().println(Json.pretty(report));
    } else {
      IndentedText text = new IndentedText(out(), TerminalWidth.forProse(context.environment()));
      new FlowText(text).print(verdict);
      PolicyProblems.print(text, policy);
    }
    out().flush();
  }
}
