package io.ocicat.cli;

import io.ocicat.cli.agent.AgentCommand;
import io.ocicat.cli.bgp.BgpCommand;
import io.ocicat.cli.cluster.ClusterCommand;
import io.ocicat.cli.conformance.ConformanceCommand;
import io.ocicat.cli.connectivity.ConnectivityCommand;
import io.ocicat.cli.cri.CriCommand;
import io.ocicat.cli.demo.DemoCommand;
import io.ocicat.cli.doctor.DoctorCommand;
import io.ocicat.cli.image.ImageCommand;
import io.ocicat.cli.inspect.StatusCommand;
import io.ocicat.cli.inspect.TraceCommand;
import io.ocicat.cli.inspect.WhyCommand;
import io.ocicat.cli.install.InstallCommand;
import io.ocicat.cli.install.UninstallCommand;
import io.ocicat.cli.ipam.IpamCommand;
import io.ocicat.cli.net.NetCommand;
import io.ocicat.cli.net.NetSettings;
import io.ocicat.cli.options.NodeContext;
import io.ocicat.cli.options.Version;
import io.ocicat.cli.pod.PodCommand;
import io.ocicat.cli.pod.PodContext;
import io.ocicat.cli.resource.CommandContext;
import io.ocicat.cli.resource.ResourceCommands;
import io.ocicat.cli.store.DatastoreCommand;
import io.ocicat.cli.terminal.ErrorReporter;
import io.ocicat.cli.terminal.StandardOutput;
import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help;

/**
 * The {@code ocicat} command.
 *
 * <p>To add a subcommand, write a class with {@code @Command} that is {@code Callable<Integer>}
 * (its exit code) and add it below. It prints to {@code spec.commandLine().getOut()}, and fails by
 * throwing: the message becomes one line on standard error and the exit code is 1.
 */
@Command(
    name = "ocicat",
    description = "Container networking (CNI) on the JVM.",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    synopsisSubcommandLabel = "COMMAND",
    exitCodeListHeading = "%nExit codes, where a command does not say more:%n",
    exitCodeList = {
      "0:done",
      "1:it failed; standard error says why in one line",
      "2:the command line is invalid; nothing was done"
    },
    footer = {
      "",
      "OCICAT_DEBUG=1 adds the stack trace and what plugins log; NO_COLOR=1 keeps colours out."
    })
public final class Ocicat {

  private Ocicat() {}

  public static void main(String[] args) {
    StandardOutput stdout = new StandardOutput(new FileOutputStream(FileDescriptor.out));
    System.setOut(new PrintStream(new BufferedOutputStream(stdout), true, StandardCharsets.UTF_8));
    PrintWriter err = new PrintWriter(System.err, true, StandardCharsets.UTF_8);
    ErrorReporter reporter = new ErrorReporter(err, "1".equals(System.getenv("OCICAT_DEBUG")));
    System.exit(
        DaemonCommand.plain(args)
            .map(daemon -> run(daemon, reporter))
            .orElseGet(() -> run(commandLineFor(args), reporter, stdout, System.out, args)));
  }

  /** Runs the daemon without parsing a command line, which the usual start does not need. */
  public static int run(DaemonCommand daemon, ErrorReporter reporter) {
    try {
      return daemon.call();
    } catch (Exception | Error e) {
      return reporter.failure(e);
    }
  }

  /** Also fails when the command's output could not be written. */
  public static int run(
      CommandLine commandLine,
      ErrorReporter reporter,
      StandardOutput stdout,
      PrintStream printer,
      String... args) {
    PrintWriter out = new PrintWriter(printer, true, StandardCharsets.UTF_8);
    int exitCode = run(commandLine, reporter, out, args);
    out.flush();
    Optional<String> lost = stdout.failure();
    return exitCode == CommandLine.ExitCode.OK && lost.isPresent()
        ? reporter.failure(new IOException("cannot write to standard output: " + lost.get()))
        : exitCode;
  }

  /**
   * Callers wait for a starting daemon: building the other commands takes longer than its start.
   */
  private static CommandLine commandLineFor(String... args) {
    return switch (args.length == 0 ? "" : args[0]) {
      case "daemon" ->
          withVersion(new CommandLine(new Ocicat()).addSubcommand(new DaemonCommand()));
      case "node" -> withVersion(new CommandLine(new Ocicat()).addSubcommand(new NodeCommand()));
      default -> commandLine();
    };
  }

  public static CommandLine commandLine() {
    PluginProcess ours = PluginProcess.fromDistribution();
    NodeContext context = NodeContext.here(System.getenv(), ours.ours());
    PodContext pods = new PodContext(context, System.getenv(), ours.executables());
    CommandContext process = CommandContext.ofProcess(System.getenv(), context.colours());
    CommandLine commandLine =
        commandLine(process)
            .addSubcommand(new StatusCommand(context))
            .addSubcommand(new ConnectivityCommand(context, process))
            .addSubcommand(ClusterCommand.of(context))
            .addSubcommand(new WhyCommand(context))
            .addSubcommand(new TraceCommand(context))
            .addSubcommand(new DoctorCommand(context))
            .addSubcommand(AgentCommand.of(context))
            .addSubcommand(BgpCommand.of(context))
            .addSubcommand(new NodeCommand())
            .addSubcommand(new DemoCommand(context, System.getenv()))
            .addSubcommand(PodCommand.of(pods))
            .addSubcommand(new CriCommand(pods))
            .addSubcommand(ImageCommand.create())
            .addSubcommand(
                NetCommand.of(
                    new NetSettings(
                        System.getenv(), ours.executables(), ours.exec(), ours.ours()::find)))
            .addSubcommand(
                new InstallCommand(
                    System.getenv(), ours.executables().map(Path::getParent), Version.id()))
            .addSubcommand(new UninstallCommand(System.getenv()))
            .setColorScheme(
                Help.defaultColorScheme(context.colours() ? Help.Ansi.ON : Help.Ansi.OFF));
    return CommandGroups.shownBy(withVersion(commandLine));
  }

  /** Makes {@code --version} print the same for every command. */
  private static CommandLine withVersion(CommandLine command) {
    command.getCommandSpec().versionProvider(new Version());
    command.getSubcommands().values().forEach(Ocicat::withVersion);
    return command;
  }

  /** The commands that work with a datastore. */
  public static CommandLine commandLine(CommandContext context) {
    CommandLine commandLine =
        new CommandLine(new Ocicat())
            .addSubcommand(new PluginCommand())
            .addSubcommand(new DaemonCommand())
            .addSubcommand(new ConformanceCommand())
            .addSubcommand(new IpamServerCommand())
            .addSubcommand(new CrdsCommand())
            .addSubcommand(new CompletionCommand())
            .addSubcommand(new VersionCommand())
            .addSubcommand(new HelpCommand());
    ResourceCommands.all(context).forEach(commandLine::addSubcommand);
    return commandLine
        .addSubcommand(DatastoreCommand.of(context))
        .addSubcommand(IpamCommand.of(context));
  }

  public static int run(
      CommandLine commandLine, ErrorReporter reporter, PrintWriter out, String... args) {
    try {
      return commandLine
          .setOut(out)
          .setErr(reporter.err())
          .setParameterExceptionHandler(reporter::misuse)
          .setExecutionExceptionHandler((failure, _, _) -> reporter.failure(failure))
          .execute(args);
    } catch (Error e) {
      // A broken installation or an exhausted machine does not deserve a page of stack frames
      // either.
      return reporter.failure(e);
    }
  }
}
