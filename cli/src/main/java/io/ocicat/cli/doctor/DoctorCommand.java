package io.ocicat.cli.doctor;

import io.ocicat.base.json.Json;
import io.ocicat.cli.check.ExpectedAttachments;
import io.ocicat.cli.options.NodeContext;
import io.ocicat.cli.options.RuntimeDirOptions;
import io.ocicat.cni.exec.PluginPath;
import io.ocicat.cni.exec.ProcessExec;
import io.ocicat.cni.plugin.InProcessExec;
import io.ocicat.cni.plugin.Namespaces;
import io.ocicat.cni.runtime.Cni;
import io.ocicat.daemon.call.CallRunner;
import io.ocicat.daemon.info.InfoClient;
import io.ocicat.daemon.info.InfoException;
import io.ocicat.daemon.liveness.CniFolders;
import io.ocicat.daemon.state.DaemonState;
import io.ocicat.daemon.state.NamespaceId;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** {@code ocicat doctor}: finds what keeps containers from the network, or will. */
@Command(
    name = "doctor",
    description = {
      "Find what is wrong on this machine, and say what to do.",
      "Looks at kernel, settings, configuration, attachments and what calls left behind, and says why it matters."
    },
    mixinStandardHelpOptions = true,
    footer = {"", "Example: ocicat doctor --conf-dir /etc/cni/net.d"},
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:nothing is wrong, or --fix has put it right",
      "1:something is wrong",
      "2:the command line is invalid; nothing was done"
    })
public final class DoctorCommand implements Callable<Integer> {
  private static final String USUAL_PATH = "/opt/cni/bin";

  private final NodeContext context;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--fix",
      description = "Put right what is ours and can be put right without harm.")
  private boolean fix;

  @Option(names = "--json", description = "Print JSON.")
  private boolean json;

  @Mixin private RuntimeDirOptions dirs = new RuntimeDirOptions();

  @Option(
      names = "--cni-path",
      paramLabel = "DIRS",
      description =
          "Where runtimes look for plugins, separated by colons (default: CNI_PATH, else "
              + USUAL_PATH
              + ").")
  private @Nullable String pluginPath;

  public DoctorCommand(NodeContext context) {
    this.context = context;
  }

  /** A finding, the check that made it, and the outcome of its fix. */
  private record CheckedFinding(String check, DoctorFinding finding, String outcome) {
    boolean isOpen() {
      return !outcome.equals(FIXED);
    }

    static final String FIXED = "fixed";
  }

  @Override
  public Integer call() {
    List<CheckedFinding> treated = new ArrayList<>();
    for (DoctorCheck check : checks()) {
      for (DoctorFinding finding : examine(check)) {
        treated.add(new CheckedFinding(check.name(), finding, fix(finding)));
      }
    }
    PrintWriter out = spec.commandLine().getOut();
    if (json) {
      print(treated, out);
    } else {
      printText(treated, out);
    }
    boolean sick =
        treated.stream()
            .anyMatch(
                one -> one.isOpen() && one.finding().severity() == DoctorFinding.Severity.PROBLEM);
    return sick ? 1 : 0;
  }

  private List<DoctorCheck> checks() {
    DaemonState state = context.state();
    PluginPath path =
        PluginPath.parse(
            pluginPath != null ? pluginPath : context.variable("CNI_PATH").orElse(USUAL_PATH));
    Path confDirectory = dirs.confDirectory(context);
    Cni cni =
        Cni.builder()
            .confDirectory(confDirectory)
            .pluginPath(path)
            .cacheDirectory(dirs.cacheDirectory())
            .exec(new InProcessExec(context.ours()::find, new ProcessExec(), Namespaces.OWN))
            .build();
    CallRunner runner =
        new CallRunner(
            state,
            context.ours(),
            state::daemonRuns,
            new CniFolders(dirs.cacheDirectory(), confDirectory),
            Clock.systemUTC());
    AllAttachments known = AllAttachments.of(state, cni);
    ExpectedAttachments expectedAttachments = ExpectedAttachments.of(state, cni);
    RemovedNetworks networks = RemovedNetworks.of(cni);
    return List.of(
        new KernelCheck(),
        new SysctlCheck(attachmentsHere(state)),
        new NetworksCheck(confDirectory, cni, path, context.ours()::find),
        new PluginsCheck(path, context.ours()),
        new OtherProgramsCheck(context.root()),
        new StartCacheCheck(Optional.ofNullable(System.getProperty("ocicat.home")).map(Path::of)),
        new FoldersCheck(context.folders()),
        new RecordsCheck(state, runner, daemonRuns()),
        new AttachmentsCheck(expectedAttachments, context.ours()::named),
        new OtherNodesCheck(context),
        new OrphanLinksCheck(known),
        new OrphanElementsCheck(known, networks),
        new CachedAttachmentsCheck(expectedAttachments, networks),
        new OrphanLeasesCheck(known, cni, expectedAttachments, networks, context.root()));
  }

  /** Those whose host side is in the namespace that this command runs in. */
  private static int attachmentsHere(DaemonState state) {
    NamespaceId own = NamespaceId.own();
    return (int)
        state.attachments().list().stream()
            .filter(kept -> kept.record().hostNetns().equals(own))
            .count();
  }

  private boolean daemonRuns() {
    try {
      new InfoClient(context.folders().infoSocket()).ask("/status");
      return true;
    } catch (InfoException e) {
      return !e.isDown();
    }
  }

  /** A check that fails must not hide what the others find. */
  private static List<DoctorFinding> examine(DoctorCheck check) {
    try {
      return check.run();
    } catch (RuntimeException e) {
      return List.of(
          DoctorFinding.warning(
              "this could not be checked: " + e.getMessage(),
              "something may be wrong here",
              "find out why; most checks need root"));
    }
  }

  /** Empty when nothing was done. */
  private String fix(DoctorFinding finding) {
    if (!fix || finding.fix().isEmpty()) {
      return "";
    }
    try {
      finding.fix().get().run();
      return CheckedFinding.FIXED;
    } catch (RuntimeException e) {
      return "could not be fixed: " + e.getMessage();
    }
  }

  private static void printText(List<CheckedFinding> treated, PrintWriter out) {
    for (CheckedFinding one : treated) {
      DoctorFinding finding = one.finding();
      out.println(
          "%-7s  %s: %s".formatted(finding.severity().label(), one.check(), finding.what()));
      out.println("         why: " + finding.why());
      out.println(
          "         "
              + (one.outcome().isEmpty() ? "do:  " + finding.action() : "=>   " + one.outcome()));
    }
    long open =
        treated.stream()
            .filter(one -> one.isOpen() && one.finding().severity() != DoctorFinding.Severity.NOTE)
            .count();
    out.println(
        switch ((int) open) {
          case 0 -> "nothing is wrong";
          case 1 -> "1 finding";
          default -> "%d findings".formatted(open);
        });
  }

  private static void print(List<CheckedFinding> treated, PrintWriter out) {
    ObjectNode document = Json.object();
    ArrayNode findings = document.putArray("findings");
    for (CheckedFinding one : treated) {
      findings.add(one.finding().toJson(one.check()).put("outcome", one.outcome()));
    }
    out.println(Json.pretty(document));
    out.flush();
  }
}
