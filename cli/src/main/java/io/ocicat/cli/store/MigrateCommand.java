package io.ocicat.cli.store;

import io.ocicat.base.json.Json;
import io.ocicat.cli.resource.CommandContext;
import io.ocicat.cli.resource.CommandException;
import io.ocicat.cli.resource.ConnectionOptions;
import io.ocicat.cli.resource.RejectedException;
import io.ocicat.cli.resource.ResourceCommand;
import io.ocicat.cli.terminal.TextTable;
import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.Datastores;
import io.ocicat.datastore.config.DatastoreConfig;
import io.ocicat.datastore.error.DatastoreException;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import tools.jackson.databind.node.ObjectNode;

/**
 * {@code ocicat datastore migrate}: moves everything to another datastore. Both datastores are
 * marked as not ready while it runs. The target records whose content it receives, so the same
 * command resumes an interrupted one. Afterwards only the target is ready; when it fails, the
 * source is what it was before.
 */
@Command(
    name = "migrate",
    description = "Copy everything from one datastore to another, and compare.",
    footer = {
      "",
      "Interrupted, the same command resumes. \"ocicat datastore unlock\" gives the source back.",
      "",
      "Example: ocicat datastore migrate --to /etc/calico/etcd.cfg"
    })
final class MigrateCommand extends ResourceCommand {
  private static final String EMBEDDED = "embedded:";

  private static final int TOLD = 20;

  @Option(
      names = "--from",
      paramLabel = "CONFIG",
      description =
          "The source: a configuration file of calicoctl, or embedded:DIRECTORY. Without it what"
              + " --config or the environment say.")
  private String from = "";

  @Option(
      names = "--to",
      required = true,
      paramLabel = "CONFIG",
      description = "The target, likewise.")
  private String to = "";

  @Option(
      names = "--merge",
      description = "Also into one that holds something; what is in both must be the same.")
  private boolean merge;

  @Option(names = "--json", description = "Print JSON.")
  private boolean json;

  MigrateCommand(CommandContext context) {
    super(context);
  }

  @Override
  protected int run() {
    DatastoreConfig source = from.isEmpty() ? connection.read(context) : config(from);
    DatastoreConfig target = config(to);
    if (source.equals(target)) {
      throw new CommandException("source and target are the same datastore");
    }
    try (Datastore here = Datastores.openOwn(source);
        Datastore there = Datastores.openOwn(target)) {
      return migrate(here, there, target instanceof DatastoreConfig.Kubernetes);
    }
  }

  private DatastoreConfig config(String text) {
    if (text.startsWith(EMBEDDED)) {
      return new DatastoreConfig.Embedded(
          Path.of(text.substring(EMBEDDED.length())).toAbsolutePath());
    }
    return ConnectionOptions.ofFile(Path.of(text)).read(context);
  }

  private int migrate(Datastore source, Datastore target, boolean toKubernetes) {
    Migration.Mark before = Migration.Mark.of(source, target, merge);
    Migration migration = new Migration(source, target, before);
    DatastoreCopy copy = new DatastoreCopy(target, toKubernetes, err());
    try {
      ReadyFlag.set(source, false);
      List<Resource> resources = copy.copied(resources(source));
      RawKeys raw = RawKeys.of(source);
      boolean overwrite = before.isResumed();
      copy.check(resources, raw, merge, overwrite);
      if (overwrite) {
        err().println("resuming an interrupted migration");
      }
      migration.begin();
      int copied = copy.run(resources, overwrite);
      copy.runRaw(raw);
      if (overwrite && !before.merges()) {
        copy.removeOthers(resources);
      }
      List<String> differences = copy.differences(resources, raw);
      if (!differences.isEmpty()) {
        throw new RejectedException(differences);
      }
      migration.finish();
      report(resources, copied);
      return 0;
    } catch (RejectedException e) {
      throw unfinished(e.reasons(), migration.giveUp());
    } catch (DatastoreException e) {
      throw unfinished(List.of(String.valueOf(e.getMessage())), migration.giveUp());
    }
  }

  private static List<Resource> resources(Datastore source) {
    List<Resource> resources = new ArrayList<>();
    for (Kind kind : DatastoreContents.kinds()) {
      if (kind != Kind.CLUSTER_INFORMATION) {
        resources.addAll(DatastoreContents.of(source, kind));
      }
    }
    return resources;
  }

  private static RejectedException unfinished(List<String> reasons, List<String> state) {
    List<String> told = new ArrayList<>(reasons.subList(0, Math.min(TOLD, reasons.size())));
    if (reasons.size() > TOLD) {
      told.add("and %d more".formatted(reasons.size() - TOLD));
    }
    told.addAll(state);
    return new RejectedException(told);
  }

  private void report(List<Resource> resources, int copied) {
    TextTable table = new TextTable("KIND", "RESOURCES");
    ObjectNode kinds = Json.object();
    for (Kind kind : DatastoreContents.kinds()) {
      long count = resources.stream().filter(resource -> resource.kind() == kind).count();
      if (count > 0) {
        table.row(kind.text(), String.valueOf(count));
        kinds.put(kind.text(), count);
      }
    }
    if (json) {
      out().println(Json.pretty(Json.object().put("copied", copied).set("resources", kinds)));
      return;
    }
    table.printTo(out());
    out()
        .println(
            "%d resources compared, all are the same; %d were copied. The target is ready, the source stays locked."
                .formatted(resources.size(), copied));
  }
}
