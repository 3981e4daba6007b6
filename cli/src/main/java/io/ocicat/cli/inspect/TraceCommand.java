package io.ocicat.cli.inspect;

import io.ocicat.base.json.Json;
import io.ocicat.cli.check.ExpectedAttachments;
import io.ocicat.cli.check.ShortIds;
import io.ocicat.cli.options.CacheDirOption;
import io.ocicat.cli.options.NodeContext;
import io.ocicat.cli.terminal.TerminalWidth;
import io.ocicat.cni.runtime.Cni;
import io.ocicat.daemon.info.CallJson;
import io.ocicat.daemon.info.InfoClient;
import io.ocicat.daemon.trace.FinishedCall;
import io.ocicat.ip.IpAddress;
import java.io.PrintWriter;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** {@code ocicat trace}: shows what calls spent their time on, and their requests to the kernel. */
@Command(
    name = "trace",
    description = {
      "Show each step of plugin calls, and how long it took.",
      "What the kernel was asked is shown in order. Columns: start and duration in milliseconds, kind of work, its place in the call.",
      "Lines are as long as the terminal is wide, or as COLUMNS says; elsewhere as the text is."
    },
    mixinStandardHelpOptions = true,
    footer = {"", "Example: ocicat trace --slow 3"},
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:shown",
      "1:no such call is remembered, or no daemon runs",
      "2:the command line is invalid; nothing was done"
    })
public final class TraceCommand implements Callable<Integer> {
  private static final String LAST = "last";

  private final NodeContext context;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Parameters(
      paramLabel = "CONTAINER|POD|IP",
      arity = "0..1",
      description =
          "A container's id or the beginning of it, a pod (name or namespace/name), or an address"
              + " that is attached; \"last\" or nothing for the last ADD or DEL.")
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

  @Mixin private CacheDirOption cache = new CacheDirOption();

  public TraceCommand(NodeContext context) {
    this.context = context;
  }

  @Override
  public Integer call() {
    if (slow != null && slow < 1) {
      throw new ParameterException(
          spec.commandLine(), "--slow=%d: at least 1 is expected".formatted(slow));
    }
    List<JsonNode> answers = answers();
    PrintWriter out = spec.commandLine().getOut();
    if (json) {
      out.println(Json.pretty(answers.size() == 1 ? answers.getFirst() : merged(answers)));
      out.flush();
      return 0;
    }
    List<FinishedCall> calls = new ArrayList<>();
    answers.forEach(answer -> answer.path("calls").forEach(one -> calls.add(CallJson.read(one))));
    if (calls.isEmpty()) {
      out.println("no such call is remembered");
      return 1;
    }
    ShortIds ids = ShortIds.among(calls.stream().map(FinishedCall::containerId).toList());
    Waterfall waterfall = new Waterfall(context.colours(), TerminalWidth.of(context));
    String gap = "";
    for (FinishedCall call : calls) {
      out.print(gap);
      gap = System.lineSeparator();
      waterfall.print(call, ids, out);
    }
    return 0;
  }

  private List<JsonNode> answers() {
    InfoClient daemon = new InfoClient(context.folders().infoSocket());
    String subject = about == null ? LAST : about;
    if (subject.equals(LAST)) {
      // There may be none of these yet, and then the others are worth seeing.
      JsonNode answer = daemon.askJson(target("", !failed && slow == null));
      return List.of(answer.path("calls").isEmpty() ? daemon.askJson(target("", false)) : answer);
    }
    Set<String> questions =
        IpAddress.tryParse(subject).isPresent() ? holders(subject) : Set.of(subject);
    return questions.stream().map(one -> daemon.askJson(target(one, false))).toList();
  }

  /** The daemon knows containers, not addresses. */
  private Set<String> holders(String address) {
    Cni cni = Cni.builder().cacheDirectory(cache.directory()).build();
    Set<String> holders =
        ContainerSelector.of(address, ExpectedAttachments.of(context.state(), cni), List.of())
            .questions();
    if (holders.isEmpty()) {
      throw new IllegalStateException(
          "nothing that is attached has the address %s; `ocicat trace` takes containers and pods as well"
              .formatted(address));
    }
    return holders;
  }

  private static ObjectNode merged(List<JsonNode> answers) {
    ObjectNode whole = Json.object();
    ArrayNode calls = whole.putArray("calls");
    answers.forEach(answer -> answer.path("calls").forEach(calls::add));
    return whole;
  }

  private String target(String question, boolean changes) {
    List<String> options = new ArrayList<>();
    if (!question.isEmpty()) {
      options.add("about=" + URLEncoder.encode(question, StandardCharsets.UTF_8));
    }
    if (failed) {
      options.add("failed");
    }
    if (changes) {
      options.add("changes");
    }
    if (slow != null) {
      options.add("slow=" + slow);
    } else if (question.isEmpty() && !(failed && about == null)) {
      options.add("last=1");
    }
    return "/calls" + (options.isEmpty() ? "" : "?" + String.join("&", options));
  }
}
