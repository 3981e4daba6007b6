package io.ocicat.cli;

import io.ocicat.cli.options.NodeContext;
import io.ocicat.daemon.call.PluginExecutables;
import io.ocicat.daemon.state.StateFolders;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Function;
import picocli.CommandLine;

/** Runs a command as the shell would, and captures its output. */
public record Shell(
    StateFolders folders, Path root, PluginExecutables ours, Map<String, String> environment) {
  public Shell(StateFolders folders, Path root, PluginExecutables ours) {
    this(folders, root, ours, Map.of());
  }

  public Shell(StateFolders folders) {
    this(folders, Path.of("/"), PluginExecutables.none());
  }

  public record Printed(int exitCode, String out, String err) {}

  public Printed run(Function<NodeContext, Callable<Integer>> command, String... args) {
    return run(command, false, args);
  }

  public Printed run(
      Function<NodeContext, Callable<Integer>> command, boolean colours, String... args) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    NodeContext context = new NodeContext(folders, root, ours, colours, environment);
    int exitCode =
        new CommandLine(command.apply(context))
            .setOut(new PrintWriter(out, true))
            .setErr(new PrintWriter(err, true))
            .setExecutionExceptionHandler(
                (failure, line, _) -> {
                  line.getErr().println(failure.getMessage());
                  return 1;
                })
            .execute(args);
    return new Printed(exitCode, out.toString(), err.toString());
  }
}
