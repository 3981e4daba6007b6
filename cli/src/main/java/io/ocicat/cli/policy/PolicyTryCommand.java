package io.ocicat.cli.policy;

import io.ocicat.base.json.Json;
import io.ocicat.cli.resource.CommandContext;
import io.ocicat.cli.resource.Rehearsal;
import io.ocicat.cli.resource.ResourceCommand;
import io.ocicat.cli.terminal.TerminalWidth;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import tools.jackson.databind.node.ObjectNode;

/** {@code ocicat policy try}: what would change between pods if documents were applied. */
@Command(
    name = "try",
    description = {
      "Say between which pods traffic would change if documents were applied. Nothing is written.",
      "Policies, tiers, network sets, profiles and namespaces can be tried, several at once. Each pair of pods is evaluated at the ports that rules name and one that none does."
    },
    footer = {
      "",
      "Example: ocicat policy try -f deny-all.yaml",
      "         ocicat policy try --delete -f deny-all.yaml"
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:tried, whether or not anything would change",
      "1:a document is not valid, or the datastore cannot be read",
      "2:the command line is invalid; nothing was done"
    })
final class PolicyTryCommand extends ResourceCommand {
  private static final int SHOWN = 50;

  @Option(
      names = {"-f", "--filename"},
      paramLabel = "FILE",
      required = true,
      description =
          "YAML or JSON documents: a file, a directory of .yaml, .yml and .json files, or - for"
              + " standard input. May be repeated.")
  private List<String> files = new ArrayList<>();

  @Option(
      names = {"-n", "--namespace"},
      paramLabel = "NAMESPACE",
      description = "The namespace of documents that name none (default: default).")
  private @Nullable String namespace;

  @Option(names = "--delete", description = "As if the documents were deleted instead.")
  private boolean delete;

  @Option(names = "--json", description = "Print JSON.")
  private boolean json;

  PolicyTryCommand(CommandContext context) {
    super(context);
  }

  @Override
  protected int run() {
    return withDatastore(
        datastore -> {
          Rehearsal rehearsal = Rehearsal.of(datastore, files, delete, namespace, context);
          StoredPolicy before = StoredPolicy.read(datastore);
          StoredPolicy after = StoredPolicy.read(rehearsal.datastore());
          List<PairChange> changes = PairChanges.between(before, after, rehearsal.changed());
          int pods = PairChanges.pods(after).size();
          if (json) {
            out().println(Json.pretty(report(after, changes, pods)));
          } else {
            print(after, changes, pods);
          }
          out().flush();
          return 0;
        });
  }

  private static ObjectNode report(StoredPolicy after, List<PairChange> changes, int pods) {
    ObjectNode report = Json.object().put("pods", pods).put("changedPairs", pairs(changes));
    var list = report.putArray("changes");
    changes.forEach(change -> list.add(change.json()));
    PolicyProblems.addTo(report, after);
    return report;
  }

  private static long pairs(List<PairChange> changes) {
    return changes.stream().map(change -> change.from() + " " + change.to()).distinct().count();
  }

  private void print(StoredPolicy after, List<PairChange> changes, int pods) {
    IndentedText text = new IndentedText(out(), TerminalWidth.forProse(context.environment()));
    changes.stream().limit(SHOWN).forEach(change -> change.print(text));
    if (changes.size() > SHOWN) {
      text.line(0, "… and %d more, see --json".formatted(changes.size() - SHOWN));
    }
    long all = (long) pods * (pods - 1);
    text.line(
        0,
        changes.isEmpty()
            ? "nothing changes between the %d pods".formatted(pods)
            : "%d of %d pairs of pods change".formatted(pairs(changes), all));
    PolicyProblems.print(text, after);
  }
}
