package io.ocicat.cli.inspect;

import io.ocicat.base.json.Json;
import io.ocicat.cli.check.AttachmentCheck;
import io.ocicat.cli.check.ShortIds;
import io.ocicat.cli.options.NodeContext;
import io.ocicat.cli.options.RuntimeDirOptions;
import io.ocicat.cli.policy.PolicyCause;
import io.ocicat.cli.resource.CommandContext;
import io.ocicat.cli.resource.ConnectionOptions;
import io.ocicat.cni.runtime.Cni;
import io.ocicat.daemon.trace.Cause;
import java.io.PrintWriter;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** {@code ocicat why}: explains why a pod has no address, or what happened to it. */
@Command(
    name = "why",
    description = {
      "Say why a pod or container has no network, and what to do.",
      "Compares what ADD was asked for and answered with the kernel as it is now. Of a pod on Calico's network it also says which policies apply."
    },
    mixinStandardHelpOptions = true,
    footer = {"", "Example: ocicat why default/web"},
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:nothing is wrong with it",
      "1:something is wrong, or nothing is known of it",
      "2:the command line is invalid; nothing was done"
    })
public final class WhyCommand implements Callable<Integer> {
  private static final String CALICO = "calico";

  private final NodeContext context;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Parameters(
      paramLabel = "CONTAINER|POD|IP",
      description =
          "A container's id or the beginning of it, a pod (name or namespace/name), or an address.")
  private String about = "";

  @Option(names = "--json", description = "Print JSON.")
  private boolean json;

  @Mixin private RuntimeDirOptions dirs = new RuntimeDirOptions();
  @Mixin private ConnectionOptions connection = new ConnectionOptions();

  public WhyCommand(NodeContext context) {
    this.context = context;
  }

  @Override
  public Integer call() {
    if (about.isBlank()) {
      throw new ParameterException(spec.commandLine(), "a container, pod or address must be named");
    }
    ContainerRecords evidence = ContainerRecords.gather(context, runtime(), about);
    List<AttachmentReport> reports = reports(evidence);
    // A runtime that fails tries again with another container: the last one counts.
    String newest = reports.getFirst().containerId();
    List<AttachmentReport> current =
        reports.stream()
            .filter(s -> s.containerId().equals(newest))
            .map(report -> withPolicy(report, evidence))
            .toList();
    List<AttachmentReport> earlier =
        reports.stream().filter(s -> !s.containerId().equals(newest)).toList();
    print(evidence, current, earlier);
    return current.stream().allMatch(report -> report.verdict().isFine()) ? 0 : 1;
  }

  /** Policy may be why a pod that is attached soundly reaches nobody. */
  private AttachmentReport withPolicy(AttachmentReport report, ContainerRecords evidence) {
    boolean ofCalico =
        evidence.expectedAttachments().all().stream()
            .filter(expected -> expected.key().containerId().equals(report.containerId()))
            .flatMap(expected -> expected.requests().stream())
            .anyMatch(request -> request.plugin().equals(CALICO));
    return report.verdict().isFine() && ofCalico
        ? report.with(
            new PolicyCause(connection.read(CommandContext.ofProcess(context.environment(), false)))
                .about(report.pod()))
        : report;
  }

  private Cni runtime() {
    return Cni.builder()
        .confDirectory(dirs.confDirectory(context))
        .cacheDirectory(dirs.cacheDirectory())
        .build();
  }

  private List<AttachmentReport> reports(ContainerRecords evidence) {
    try (AttachmentCheck check =
        new AttachmentCheck(evidence.expectedAttachments(), context.ours()::named)) {
      List<AttachmentReport> reports = new Diagnosis(evidence, check).reports();
      return reports.isEmpty() ? List.of(nothing(evidence)) : reports;
    }
  }

  private AttachmentReport nothing(ContainerRecords evidence) {
    boolean waits = evidence.daemon().underWay().stream().anyMatch(id -> id.startsWith(about));
    boolean answers = evidence.daemon().answers();
    AttachmentState verdict =
        waits
            ? AttachmentState.UNDER_WAY
            : answers ? AttachmentState.NEVER_ASKED : AttachmentState.DAEMON_DOWN;
    String sentence =
        waits
            ? "its first call waits for its turn"
            : "%s, and there is no attachment: neither a record in %s nor one of its runtime's in %s, nor a lease"
                .formatted(
                    answers ? "ocicatd has no record of a call for it" : "ocicatd cannot be asked",
                    context.folders().state(),
                    dirs.cacheDirectory());
    return new AttachmentReport(
        about,
        "",
        "",
        "",
        verdict,
        Cause.NONE,
        List.of(sentence),
        List.of(),
        verdict.advice(answers),
        Instant.EPOCH);
  }

  private void print(
      ContainerRecords evidence, List<AttachmentReport> current, List<AttachmentReport> earlier) {
    PrintWriter out = spec.commandLine().getOut();
    String silence = evidence.daemon().silence();
    if (json) {
      ObjectNode document = Json.object();
      document.put("daemonAnswers", evidence.daemon().answers());
      document.put("daemonSilence", silence);
      document.set("obstacles", Json.array(evidence.obstacles()));
      ArrayNode now = document.putArray("attachments");
      current.forEach(report -> now.add(report.toJson()));
      ArrayNode before = document.putArray("earlier");
      earlier.forEach(report -> before.add(report.toJson()));
      out.println(Json.pretty(document));
      out.flush();
      return;
    }
    if (!silence.isEmpty()) {
      out.println(silence);
      out.println("this is what files and the kernel tell, without what failed calls have said");
    }
    evidence.obstacles().forEach(why -> out.println("not everything could be checked: " + why));
    ShortIds ids = shortIds(evidence, current, earlier);
    current.forEach(report -> report.print(ids, out));
    if (!earlier.isEmpty()) {
      out.println();
      out.println("earlier containers:");
      earlier.forEach(report -> report.print(ids, out));
    }
  }

  /** Ids on the screen must be distinct, also from everything else that is attached. */
  private static ShortIds shortIds(
      ContainerRecords evidence, List<AttachmentReport> current, List<AttachmentReport> earlier) {
    Set<String> ids = new HashSet<>();
    Stream.of(current, earlier).flatMap(List::stream).forEach(one -> ids.add(one.containerId()));
    evidence.expectedAttachments().byKey().keySet().forEach(key -> ids.add(key.containerId()));
    return ShortIds.among(ids);
  }
}
