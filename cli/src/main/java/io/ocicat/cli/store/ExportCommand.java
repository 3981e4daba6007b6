package io.ocicat.cli.store;

import io.ocicat.base.file.WholeFile;
import io.ocicat.cli.resource.CommandContext;
import io.ocicat.cli.resource.CommandException;
import io.ocicat.cli.resource.ResourceCommand;
import io.ocicat.cli.terminal.Progress;
import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.kv.KeyValueDatastore;
import io.ocicat.datastore.kv.KeyValueDump;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** {@code ocicat datastore export}: writes everything in a datastore to a file. */
@Command(
    name = "export",
    description = "Write everything, with IPAM's records, as a stream of documents.",
    footer = {"", "Example: ocicat datastore export -f backup.yaml"})
final class ExportCommand extends ResourceCommand {
  @Option(
      names = {"-o", "--output"},
      paramLabel = "FORMAT",
      defaultValue = "yaml",
      description =
          "yaml; json, a document per line; or raw, every key and its bytes as they are (not of"
              + " Kubernetes) (default: ${DEFAULT-VALUE}).")
  private String output = "yaml";

  @Option(
      names = {"-f", "--filename"},
      paramLabel = "FILE",
      description = "Where to write, readable for its owner only (default: standard output).")
  private @Nullable Path file;

  ExportCommand(CommandContext context) {
    super(context);
  }

  @Override
  protected int run() {
    if (!output.equals("yaml") && !output.equals("json") && !output.equals("raw")) {
      throw new ParameterException(
          spec.commandLine(), "-o must be yaml, json or raw, not \"%s\"".formatted(output));
    }
    Path target = file;
    return withDatastore(
        datastore -> {
          try {
            int count =
                target == null
                    ? toOutput(datastore)
                    : WholeFile.at(target).write(out -> write(datastore, out));
            err()
                .println(
                    "exported %d %s".formatted(count, output.equals("raw") ? "keys" : "resources"));
            return 0;
          } catch (IOException e) {
            throw new CommandException("the export cannot be written: %s".formatted(e), e);
          }
        });
  }

  private int toOutput(Datastore datastore) throws IOException {
    PrintWriter out = out();
    int count = write(datastore, out);
    out.flush();
    if (out.checkError()) {
      throw new IOException("standard output is closed");
    }
    return count;
  }

  private int write(Datastore datastore, Writer out) throws IOException {
    if (!output.equals("raw")) {
      ExportStream.Written written =
          ExportStream.write(
              datastore, output.equals("json"), out, new Progress(err(), "exporting resources", 0));
      if (written.raw().count() > 0) {
        err()
            .println(
                "exported %d keys of kinds that are not known here as they are: %s"
                    .formatted(written.raw().count(), written.raw().names()));
      }
      return written.resources();
    }
    if (datastore instanceof KeyValueDatastore keys) {
      return KeyValueDump.write(keys.store(), "/", out);
    }
    throw new CommandException("Kubernetes has no keys: use -o yaml or json");
  }
}
