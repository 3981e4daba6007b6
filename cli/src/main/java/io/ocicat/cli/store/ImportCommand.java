package io.ocicat.cli.store;

import io.ocicat.cli.resource.CommandContext;
import io.ocicat.cli.resource.CommandException;
import io.ocicat.cli.resource.ResourceCommand;
import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.config.DatastoreConfig;
import io.ocicat.datastore.kv.KeyValueDatastore;
import io.ocicat.datastore.kv.KeyValueDump;
import io.ocicat.datastore.resource.Resource;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code ocicat datastore import}: loads an export into a datastore. */
@Command(
    name = "import",
    description = "Put what \"ocicat datastore export\" wrote into an empty datastore.",
    footer = {"", "Example: ocicat datastore import -f backup.yaml"})
final class ImportCommand extends ResourceCommand {
  @Option(
      names = {"-f", "--filename"},
      required = true,
      paramLabel = "FILE",
      description = "What was exported; - for standard input.")
  private String file = "";

  @Option(
      names = "--merge",
      description = "Also into one that holds something; what is in both must be the same.")
  private boolean merge;

  ImportCommand(CommandContext context) {
    super(context);
  }

  @Override
  protected int run() {
    String text = text();
    if (text.startsWith("{\"format\":\"ocicat-datastore\"")) {
      return withDatastore(datastore -> raw(datastore, text));
    }
    ExportStream.Exported exported = ExportStream.read(text);
    boolean toKubernetes = connection.read(context) instanceof DatastoreConfig.Kubernetes;
    return withDatastore(
        datastore -> {
          DatastoreCopy copy = new DatastoreCopy(datastore, toKubernetes, err());
          List<Resource> resources = copy.copied(exported.resources());
          copy.check(resources, exported.raw(), merge, false);
          int copied = copy.run(resources, false);
          copy.runRaw(exported.raw());
          out()
              .println(
                  "imported %d resources, %d were there already"
                      .formatted(copied, resources.size() - copied));
          return 0;
        });
  }

  private int raw(Datastore datastore, String text) {
    if (!(datastore instanceof KeyValueDatastore keys)) {
      throw new CommandException("Kubernetes has no keys: export with -o yaml");
    }
    try {
      int count = KeyValueDump.read(new BufferedReader(new StringReader(text)), keys.store());
      out().println("imported %d keys".formatted(count));
      return 0;
    } catch (IOException e) {
      throw new CommandException("%s cannot be read: %s".formatted(file, e), e);
    }
  }

  private String text() {
    try {
      return file.equals("-")
          ? new String(context.stdin().readAllBytes(), StandardCharsets.UTF_8)
          : Files.readString(Path.of(file));
    } catch (NoSuchFileException e) {
      throw new CommandException("%s: there is no such file".formatted(file), e);
    } catch (IOException e) {
      throw new CommandException("%s cannot be read: %s".formatted(file, e), e);
    }
  }
}
