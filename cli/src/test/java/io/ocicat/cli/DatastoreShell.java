package io.ocicat.cli;

import io.ocicat.cli.resource.CommandContext;
import io.ocicat.cli.terminal.ErrorReporter;
import java.io.ByteArrayInputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/**
 * Runs commands that work with a datastore as the shell would, and captures their output.
 *
 * @param environment selects the datastore
 */
public record DatastoreShell(Map<String, String> environment, boolean colours) {
  public DatastoreShell {
    environment = Map.copyOf(environment);
  }

  /** The embedded datastore in a directory. */
  public static DatastoreShell embedded(Path directory) {
    return new DatastoreShell(Map.of("OCICAT_STATE_DIR", directory.toString()), false);
  }

  public static DatastoreShell etcd(String url) {
    return new DatastoreShell(Map.of("ETCD_ENDPOINTS", url), false);
  }

  public DatastoreShell with(String name, String value) {
    Map<String, String> changed = new HashMap<>(environment);
    changed.put(name, value);
    return new DatastoreShell(changed, colours);
  }

  public Shell.Printed run(String... args) {
    return runWith("", args);
  }

  public Shell.Printed runWith(String stdin, String... args) {
    return runWith(stdin, new StringWriter(), args);
  }

  /** Prints to a writer that a test may read before the command ends. */
  public Shell.Printed runWith(String stdin, StringWriter out, String... args) {
    StringWriter err = new StringWriter();
    CommandContext context =
        new CommandContext(
            environment,
            Path.of("/nonexistent/calicoctl.cfg"),
            new ByteArrayInputStream(stdin.getBytes(StandardCharsets.UTF_8)),
            colours);
    int exitCode =
        Ocicat.run(
            Ocicat.commandLine(context),
            new ErrorReporter(new PrintWriter(err, true), false),
            new PrintWriter(out, true),
            args);
    return new Shell.Printed(exitCode, out.toString(), err.toString());
  }
}
