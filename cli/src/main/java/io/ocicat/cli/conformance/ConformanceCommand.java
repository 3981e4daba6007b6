package io.ocicat.cli.conformance;

import io.ocicat.base.json.Json;
import io.ocicat.cli.options.NodeContext;
import io.ocicat.cli.options.Version;
import io.ocicat.cli.terminal.Progress;
import io.ocicat.cni.CniException;
import io.ocicat.cni.exec.PluginPath;
import io.ocicat.conformance.Conformance;
import io.ocicat.conformance.check.Checks;
import io.ocicat.conformance.check.ConformanceCheck;
import io.ocicat.conformance.report.ConformanceReport;
import io.ocicat.conformance.report.Deviations;
import io.ocicat.conformance.report.JsonReport;
import io.ocicat.conformance.report.JunitReport;
import io.ocicat.conformance.report.TextReport;
import io.ocicat.conformance.subject.ConformanceException;
import io.ocicat.conformance.subject.PluginKind;
import io.ocicat.conformance.subject.PluginUnderTest;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import tools.jackson.databind.node.ArrayNode;

/** {@code ocicat conformance}: checks any CNI plugin executable against the protocol. */
@Command(
    name = "conformance",
    description = {
      "Check any CNI plugin against the specification.",
      "Runs the executable as root, in namespaces and directories of its own: the machine's network is not touched."
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:everything passed, but for expected deviations",
      "1:the plugin failed a check, or the checks could not be run",
      "2:the command line or a file named in it is invalid"
    },
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    footer = {"", "Example: ocicat conformance /opt/cni/bin/bridge --only netns"})
public final class ConformanceCommand implements Callable<Integer> {
  @Spec
  @SuppressWarnings("NullAway.Init") // picocli sets it
  private CommandSpec spec;

  @Parameters(
      arity = "0..1",
      paramLabel = "PLUGIN",
      description = "The executable, such as /opt/cni/bin/bridge.")
  private @Nullable Path plugin;

  @Option(
      names = "--config",
      paramLabel = "FILE",
      description =
          "A configuration the plugin works with; $${data} in it becomes an empty directory."
              + " Well-known plugins have one built in.")
  private @Nullable Path config;

  @Option(
      names = "--kind",
      paramLabel = "KIND",
      description = "What the plugin is, when its name does not tell: ${COMPLETION-CANDIDATES}.",
      completionCandidates = Kinds.class)
  private @Nullable String kind;

  @Option(
      names = "--netns",
      paramLabel = "PATH",
      description =
          "The container's network namespace, instead of fresh ones. New links in it are removed.")
  private @Nullable Path netns;

  @Option(
      names = "--cni-path",
      paramLabel = "DIRS",
      description = "Where the plugin finds others, as in CNI_PATH (default: its own directory).")
  private @Nullable String cniPath;

  @Option(
      names = "--env",
      paramLabel = "NAME=VALUE",
      description = "Another variable for the plugin; may be repeated.")
  private Map<String, String> environment = Map.of();

  @Option(
      names = "--limit",
      paramLabel = "SECONDS",
      description = "How long one call of the plugin may take (default: 10).")
  private @Nullable Integer limit;

  @Option(
      names = "--jobs",
      paramLabel = "COUNT",
      description = "How many checks run at once (default: 4).")
  private @Nullable Integer jobs;

  @Option(
      names = "--only",
      paramLabel = "NAME",
      description = "Only this check or topic; may be repeated.")
  private List<String> only = List.of();

  @Option(
      names = "--expect",
      paramLabel = "FILE",
      description = "Deviations that are known, one per line: [plugin, plugin:] check reason.")
  private @Nullable Path expect;

  @Option(names = "--junit", paramLabel = "FILE", description = "Also write JUnit XML.")
  private @Nullable Path junit;

  @Option(names = "--json", description = "Print JSON instead of text.")
  private boolean json;

  @Option(names = "--list", description = "Show all checks and do nothing.")
  private boolean list;

  public ConformanceCommand() {}

  /** The values of {@code --kind}. */
  public static final class Kinds implements Iterable<String> {
    @Override
    public Iterator<String> iterator() {
      return List.of(PluginKind.values()).stream().map(PluginKind::toString).iterator();
    }
  }

  @Override
  public Integer call() {
    if (list) {
      if (json) {
        spec.commandLine().getOut().println(Json.pretty(checks()));
      } else {
        list(spec.commandLine().getOut());
      }
      return CommandLine.ExitCode.OK;
    }
    Conformance conformance;
    PluginUnderTest subject;
    try {
      subject = subject();
      conformance = new Conformance(subject).expecting(deviations());
      if (jobs != null) {
        conformance.jobs(jobs);
      }
      if (!only.isEmpty()) {
        conformance.only(only);
      }
    } catch (ConformanceException | CniException e) {
      throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
    }
    return run(conformance, subject).isGood()
        ? CommandLine.ExitCode.OK
        : CommandLine.ExitCode.SOFTWARE;
  }

  private ConformanceReport run(Conformance conformance, PluginUnderTest subject) {
    PrintWriter out = spec.commandLine().getOut();
    ConformanceReport report;
    if (json) {
      Progress progress =
          new Progress(spec.commandLine().getErr(), "checks made", conformance.checks().size());
      conformance.listener(_ -> {}, _ -> progress.step());
      report = conformance.run();
      out.println(JsonReport.of(report));
    } else {
      TextReport text =
          new TextReport(out, conformance.checks(), NodeContext.showsColours(System.getenv()));
      conformance.listener(claims -> text.begin(subject, claims), text::found);
      report = conformance.run();
      text.end(report);
    }
    if (junit != null) {
      write(junit, JunitReport.of(report));
    }
    return report;
  }

  private PluginUnderTest subject() {
    if (plugin == null) {
      throw new ConformanceException("missing required parameter: PLUGIN");
    }
    // Before its name is considered, which may be a typing error.
    if (!Files.isRegularFile(plugin) || !Files.isExecutable(plugin)) {
      throw new ConformanceException(plugin + " is not an executable file");
    }
    PluginUnderTest subject =
        PluginUnderTest.of(
            plugin,
            Optional.ofNullable(kind).map(ConformanceCommand::kind),
            Optional.ofNullable(config).map(ConformanceCommand::read));
    subject = subject.environment(environment);
    if (cniPath != null) {
      subject = subject.path(PluginPath.parse(cniPath));
    }
    if (limit != null) {
      subject = subject.limit(Duration.ofSeconds(limit));
    }
    if (subject.profile().needsService()) {
      subject = subject.service(ReferenceServices.of(subject.profile()));
    }
    return netns == null ? subject : subject.netns(netns.toAbsolutePath());
  }

  private static PluginKind kind(String name) {
    return PluginKind.find(name)
        .orElseThrow(
            () ->
                new ConformanceException(
                    "\"%s\" is not a kind of plugin: %s"
                        .formatted(name, String.join(", ", new Kinds()))));
  }

  private Deviations deviations() {
    return expect == null
        ? Deviations.NONE
        : Deviations.parse(
            new String(read(expect), StandardCharsets.UTF_8),
            Checks.all().stream().map(ConformanceCheck::id).collect(Collectors.toSet()));
  }

  private static byte[] read(Path file) {
    try {
      return Files.readAllBytes(file);
    } catch (IOException e) {
      throw new ConformanceException("cannot read " + file + ": " + reason(e), e);
    }
  }

  private static void write(Path file, String text) {
    try {
      Files.writeString(file, text);
    } catch (IOException e) {
      throw new ConformanceException("cannot write " + file + ": " + reason(e), e);
    }
  }

  /** Java's own messages consist of the path alone here. */
  private static String reason(IOException e) {
    return switch (e) {
      case NoSuchFileException _ -> "there is no such file";
      case AccessDeniedException _ -> "permission denied";
      default -> String.valueOf(e.getMessage());
    };
  }

  private static ArrayNode checks() {
    ArrayNode checks = Json.array();
    for (ConformanceCheck check : Checks.all()) {
      checks
          .addObject()
          .put("id", check.id())
          .put("severity", check.severity().toString())
          .put("sentence", check.sentence());
    }
    return checks;
  }

  private static void list(PrintWriter out) {
    int width = Checks.all().stream().mapToInt(check -> check.id().length()).max().orElse(0);
    for (ConformanceCheck check : Checks.all()) {
      out.println(
          "%s  %s  %s"
              .formatted(
                  check.id() + " ".repeat(width - check.id().length()),
                  "%-6s".formatted(check.severity()),
                  check.sentence()));
    }
  }
}
