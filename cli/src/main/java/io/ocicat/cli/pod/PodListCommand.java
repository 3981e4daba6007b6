package io.ocicat.cli.pod;

import io.ocicat.base.json.Json;
import io.ocicat.cli.terminal.TextTable;
import io.ocicat.sandbox.pods.PodSandboxes;
import io.ocicat.sandbox.pods.SandboxFilter;
import io.ocicat.sandbox.pods.SandboxState;
import io.ocicat.sandbox.pods.SandboxStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** {@code ocicat pod ls}: lists pods. */
@Command(
    name = "list",
    aliases = "ls",
    description = {
      "List the pods of all namespaces, the newest first.",
      "READY are those whose process, namespace, interface and addresses are there."
    },
    mixinStandardHelpOptions = true,
    footer = {"", "Example: ocicat pod list --label app=web"})
final class PodListCommand extends PodCommand.Sub {
  private static final int SHORT_ID = 13;

  @Option(
      names = "--label",
      paramLabel = "KEY=VALUE",
      description = "Only pods with this label; may be repeated.")
  private Map<String, String> labels = new TreeMap<>();

  @Option(
      names = "--state",
      paramLabel = "STATE",
      description = "Only pods that are READY or NOTREADY.")
  private @Nullable SandboxState state;

  @Option(
      names = {"-q", "--quiet"},
      description = "Print ids only.")
  private boolean quiet;

  @Option(names = "--json", description = "Print JSON.")
  private boolean json;

  PodListCommand(PodContext context) {
    super(context);
  }

  @Override
  int call(PodSandboxes pods) {
    List<SandboxStatus> found = pods.list(new SandboxFilter("", state, labels));
    if (json) {
      ObjectNode all = Json.object();
      ArrayNode list = all.putArray("pods");
      found.forEach(pod -> list.add(PodJson.of(pod)));
      out().println(Json.pretty(all));
    } else if (quiet) {
      found.forEach(pod -> out().println(pod.id()));
    } else {
      table(found).printTo(out());
    }
    return 0;
  }

  /** Reasons have a column if there are any. */
  private static TextTable table(List<SandboxStatus> found) {
    List<String> host =
        found.stream().anyMatch(pod -> pod.config().hostNetwork())
            ? HostAddresses.ofRoutes()
            : List.of();
    boolean reasons = found.stream().anyMatch(pod -> !pod.problem().isEmpty());
    List<String> headings =
        List.of("POD ID", "NAMESPACE", "NAME", "STATE", "IP", "NETWORK", "AGE", "REASON");
    TextTable table = new TextTable(cells(headings, reasons));
    for (SandboxStatus pod : found) {
      List<String> cells =
          List.of(
              pod.id().substring(0, Math.min(SHORT_ID, pod.id().length())),
              pod.config().metadata().namespace(),
              pod.config().metadata().name(),
              pod.state().name(),
              String.join(" ", pod.config().hostNetwork() ? host : pod.ips()),
              pod.config().hostNetwork() ? "(host)" : pod.network(),
              pod.createdAt() == 0
                  ? ""
                  : age(Duration.between(PodJson.created(pod), Instant.now())),
              pod.problem());
      table.row(cells(cells, reasons));
    }
    return table;
  }

  private static String[] cells(List<String> all, boolean reasons) {
    return all.subList(0, reasons ? all.size() : all.size() - 1).toArray(String[]::new);
  }

  private static String age(Duration age) {
    long seconds = Math.max(0, age.toSeconds());
    if (seconds < 120) {
      return seconds + "s";
    }
    return seconds < 7200 ? seconds / 60 + "m" : seconds / 3600 + "h";
  }
}
