package io.ocicat.cli.install;

import io.ocicat.daemon.state.BootId;
import io.ocicat.daemon.state.Folders;
import io.ocicat.daemon.state.State;
import io.ocicat.netlink.linux.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code ocicat uninstall}: takes away what {@code ocicat install} has put somewhere. */
@Command(
    name = "uninstall",
    description = {
      "Remove what \"ocicat install\" put somewhere.",
      "Exactly that is removed, and what it kept aside is put back."
    },
    footer = {
      "",
      "What somebody has changed since stays. The directories stay too, because container runtimes watch them; of a --prefix"
          + " only what was copied there goes. The plugins' tables of nf_tables go when no container needs them. Leases"
          + " are not touched.",
      "",
      "Stop the daemon first: systemctl disable --now ocicat.socket ocicat.service",
      "",
      "Example: ocicat uninstall --dry-run"
    },
    mixinStandardHelpOptions = true)
public final class UninstallCommand implements Callable<Integer> {
  private final Folders folders;
  private final FirewallTables tables;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(names = "--dry-run", description = "Tell what would be done, and do nothing.")
  private boolean dryRun;

  @Option(
      names = "--force",
      description = "Do it although containers are attached, whose removal needs the plugins.")
  private boolean force;

  @Option(names = "--json", description = "Print JSON.")
  private boolean json;

  @Option(
      names = "--purge",
      description =
          "Also remove the run and the state directory, with the embedded datastore, if nothing is"
              + " attached.")
  private boolean purge;

  public UninstallCommand(Map<String, String> environment) {
    this(environment, FirewallTables.ofThisHost());
  }

  UninstallCommand(Map<String, String> environment, FirewallTables tables) {
    folders = Folders.of(environment);
    this.tables = tables;
  }

  @Override
  public Integer call() {
    try (Account account = new Account(spec.commandLine().getOut(), json, dryRun)) {
      return uninstall(account);
    }
  }

  private int uninstall(Account account) {
    Path path = folders.state();
    boolean installed = Files.exists(Manifest.fileIn(path));
    if (!installed) {
      account.say("nothing is installed: there is no " + Manifest.fileIn(path));
    }
    State state = new State(folders, BootId.current());
    int attached = state.attachments().names().size();
    if (installed && attached > 0 && !force) {
      throw new InstallException(
          "%d attachments are still there (%s), and runtimes need the plugins to remove them: stop the containers first, or give --force"
              .formatted(attached, path.resolve("attachments")));
    }
    Purge rest = new Purge(folders, dryRun, account);
    if (purge) {
      rest.check(state);
    }
    if (installed) {
      remove(path, account);
    }
    if (attached == 0 && (installed || purge)) {
      tables.remove(account, dryRun);
    }
    if (purge) {
      rest.carryOut();
    }
    return ExitCode.OK;
  }

  private void remove(Path state, Account account) {
    if (dryRun) {
      new Removal(Manifest.read(state), true, account).carryOut();
      return;
    }
    try (FileLock _ = InstallCommand.lock(state)) {
      Manifest manifest = Manifest.read(state);
      List<String> failures = new Removal(manifest, false, account).carryOut();
      if (manifest.isEmpty()) {
        Manifest.remove(state);
      } else {
        manifest.write(state);
      }
      if (!failures.isEmpty()) {
        throw new InstallException(String.join("; ", failures));
      }
    }
  }
}
