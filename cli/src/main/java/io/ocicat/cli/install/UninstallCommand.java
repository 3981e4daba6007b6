package io.ocicat.cli.install;

import io.ocicat.base.BootId;
import io.ocicat.daemon.call.PluginExecutables;
import io.ocicat.daemon.state.DaemonState;
import io.ocicat.daemon.state.StateFolders;
import io.ocicat.netlink.linux.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code ocicat uninstall}: removes what {@code ocicat install} has installed. */
@Command(
    name = "uninstall",
    description = {
      "Remove what \"ocicat install\" put somewhere.",
      "Exactly that is removed, and what it kept aside is put back."
    },
    footer = {
      "",
      "What somebody has changed since stays. The directories stay too, because container runtimes"
          + " watch them; of a --prefix only what was copied there goes. The plugins' tables of"
          + " nf_tables go when no container needs them, and are named when one does. Leases are not touched.",
      "",
      "Stop the daemon first: systemctl disable --now ocicat.socket ocicat.service",
      "",
      "With --hand-over containers may run. What cannot be handed over is named, and nothing is"
          + " changed then: macspoofchk, two addresses of one family with ipMasq, natOutgoing of"
          + " calico without Felix, a plugin that does not exist in Go. It may be repeated at any"
          + " time, also after it was killed.",
      "",
      "Example: ocicat uninstall --dry-run",
      "",
      "Example: ocicat uninstall --hand-over --to /usr/lib/cni"
    },
    mixinStandardHelpOptions = true)
public final class UninstallCommand implements Callable<Integer> {
  private final StateFolders folders;
  private final FirewallTables tables;
  private final Path netns;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(names = "--dry-run", description = "Show what would be done, and do nothing.")
  private boolean dryRun;

  @Option(
      names = "--force",
      description =
          "Do it although containers are attached, whose removal needs the plugins; with"
              + " --hand-over, although something of them cannot be handed over and ends.")
  private boolean force;

  @Option(
      names = "--hand-over",
      description =
          "Give the containers that are attached to the Go plugins: published ports and"
              + " masquerading go on in their form, and their DEL removes everything.")
  private boolean handOver;

  @Option(
      names = "--to",
      paramLabel = "DIR",
      description =
          "With --hand-over: where the plugins are that take over (default: those that install kept"
              + " aside, or that the runtime's CNI_PATH has).")
  private @Nullable Path successors;

  @Option(names = "--json", description = "Print JSON.")
  private boolean json;

  @Option(
      names = "--purge",
      description =
          "Also remove the run and the state directory, with the embedded datastore, if nothing is"
              + " attached.")
  private boolean purge;

  public UninstallCommand(Map<String, String> environment) {
    this(environment, FirewallTables.ofThisHost(), Path.of("/proc/self/ns/net"));
  }

  /**
   * @param netns the host's network namespace
   */
  UninstallCommand(Map<String, String> environment, FirewallTables tables, Path netns) {
    folders = StateFolders.of(environment);
    this.tables = tables;
    this.netns = netns;
  }

  @Override
  public Integer call() {
    try (InstallOutput output = new InstallOutput(spec.commandLine().getOut(), json, dryRun)) {
      return uninstall(output);
    }
  }

  private int uninstall(InstallOutput output) {
    Path path = folders.state();
    boolean installed = Files.exists(InstallManifest.fileIn(path));
    if (!installed) {
      output.println("nothing is installed: there is no " + InstallManifest.fileIn(path));
    }
    DaemonState state = new DaemonState(folders, BootId.current());
    if (handOver) {
      return handOver(state, installed, output);
    }
    int attached = state.attachments().names().size();
    if (installed && attached > 0 && !force) {
      throw new InstallException(
          "%d attachments are still there (%s), and runtimes need the plugins to remove them: stop the containers first, give them to the Go plugins with --hand-over, or give --force"
              .formatted(attached, path.resolve("attachments")));
    }
    Purge rest = new Purge(folders, dryRun, output);
    if (purge) {
      rest.check(state);
    }
    if (installed) {
      remove(path, output);
    }
    if (installed || purge) {
      tables.remove(output, dryRun);
    }
    if (purge) {
      rest.carryOut();
    }
    return ExitCode.OK;
  }

  /**
   * In two rounds: the second hands over what a runtime attaches with our plugins until the others
   * are in place.
   */
  private int handOver(DaemonState state, boolean installed, InstallOutput output) {
    if (purge) {
      throw new InstallException(
          "--purge forgets what a hand-over may have to do again: hand over, then run ocicat"
              + " uninstall --purge");
    }
    if (state.daemonRuns()) {
      throw new InstallException(
          "ocicatd runs, and would undo what others take over: systemctl disable --now"
              + " ocicat.socket ocicat.service, or end the process that `ocicat status` names");
    }
    HandOver before = handOver(state, output);
    List<String> obstacles = before.obstacles();
    if (!obstacles.isEmpty() && !force) {
      throw new InstallException(
          "nothing was changed, because not everything can be handed over (--force ends what"
              + " cannot): "
              + String.join("; ", obstacles));
    }
    obstacles.forEach(obstacle -> output.println("%-8s  %s".formatted("ends", obstacle)));
    before.carryOut(dryRun);
    if (installed) {
      remove(folders.state(), output);
    }
    if (!dryRun) {
      handOver(state, output).carryOut(false);
    }
    tables.removeAll(output, dryRun);
    return ExitCode.OK;
  }

  private HandOver handOver(DaemonState state, InstallOutput output) {
    SuccessorPlugins found =
        new SuccessorPlugins(
            successors == null ? null : successors.toAbsolutePath(),
            InstallManifest.read(folders.state()),
            PluginExecutables.fromDistribution());
    return new HandOver(netns, state, found, output, force);
  }

  private void remove(Path state, InstallOutput output) {
    if (dryRun) {
      new FileRemoval(InstallManifest.read(state), true, output).carryOut();
      return;
    }
    try (FileLock _ = InstallCommand.lock(state)) {
      InstallManifest manifest = InstallManifest.read(state);
      List<String> failures = new FileRemoval(manifest, false, output).carryOut();
      if (manifest.isEmpty()) {
        InstallManifest.remove(state);
      } else {
        manifest.write(state);
      }
      if (!failures.isEmpty()) {
        throw new InstallException(String.join("; ", failures));
      }
    }
  }
}
