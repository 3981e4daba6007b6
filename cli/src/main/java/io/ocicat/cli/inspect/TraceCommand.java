package io.ocicat.cli.inspect;

import io.ocicat.cli.Site;
import io.ocicat.cni.json.Json;
import io.ocicat.daemon.info.CallJson;
import io.ocicat.daemon.info.InfoClient;
import java.io.PrintWriter;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import tools.jackson.databind.JsonNode;

/** {@code ocicat trace}: what calls spent their time on, and what the kernel was asked. */
@Command(
    name = "trace",
    description = {
      "Show each step of plugin calls, and how long it took.",
      "What the kernel was asked is shown in order. Columns: start and duration in milliseconds, kind of work, its place in the call."
    },
    mixinStandardHelpOptions = true,
    footer = {"", "Example: ocicat trace --slow 3"},
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:shown",
      "1:no such call is remembered, or no daemon runs",
      "2:the command line makes no sense; nothing was done"
    })
public final class TraceCommand implements Callable<Integer> {
  private static final String LAST = "last";

  private final Site site;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Parameters(
      paramLabel = "CONTAINER",
      arity = "0..1",
      description =
          "A container's id or the beginning of it, or a pod (name or namespace/name);"
              + " \"last\" or nothing for the last call.")
  private @Nullable String about;

  @Option(
      names = "--slow",
      arity = "0..1",
      paramLabel = "N",
      fallbackValue = "5",
      description = "The N slowest calls that are remembered (default: ${FALLBACK-VALUE}).")
  private @Nullable Integer slow;

  @Option(names = "--failed", description = "Only calls that failed.")
  private boolean failed;

  @Option(names = "--json", description = "Print JSON.")
  private boolean json;

  public TraceCommand(Site site) {
    this.site = site;
  }

  @Override
  public Integer call() {
    if (slow != null && slow < 1) {
      throw new ParameterException(
          spec.commandLine(), "--slow=%d: at least 1 is expected".formatted(slow));
    }
    JsonNode answer = new InfoClient(site.folders().infoSocket()).askJson(target());
    PrintWriter out = spec.commandLine().getOut();
    if (json) {
      out.println(Json.pretty(answer));
      out.flush();
      return 0;
    }
    JsonNode calls = answer.path("calls");
    if (calls.isEmpty()) {
      out.println("no such call is remembered");
      return 1;
    }
    Waterfall waterfall = new Waterfall(site.colours());
    String gap = "";
    for (JsonNode call : calls) {
      out.print(gap);
      gap = System.lineSeparator();
      waterfall.print(CallJson.read(call), out);
    }
    return 0;
  }

  private String target() {
    List<String> options = new ArrayList<>();
    boolean last = about == null || about.equals(LAST);
    if (!last) {
      options.add("about=" + URLEncoder.encode(about, StandardCharsets.UTF_8));
    }
    if (failed) {
      options.add("failed");
    }
    if (slow != null) {
      options.add("slow=" + slow);
    } else if (last && !(failed && about == null)) {
      options.add("last=1");
    }
    return "/calls" + (options.isEmpty() ? "" : "?" + String.join("&", options));
  }
}
