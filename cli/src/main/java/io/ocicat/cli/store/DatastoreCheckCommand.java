package io.ocicat.cli.store;

import io.ocicat.base.json.Json;
import io.ocicat.cli.resource.CommandContext;
import io.ocicat.cli.resource.ResourceCommand;
import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.embedded.EmbeddedStore;
import io.ocicat.datastore.error.InvalidException;
import io.ocicat.datastore.kv.KeyValueDatastore;
import io.ocicat.datastore.model.ResourceAdmission;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourcePage;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import tools.jackson.databind.node.ObjectNode;

/** {@code ocicat datastore check}: finds inconsistencies in a datastore. */
@Command(
    name = "check",
    description = {
      "Look for damage, and for documents that cannot be used.",
      "Those are documents that cannot be read, would not be accepted, or name what is not there."
    },
    footer = {
      "",
      "Changes nothing. Prints a line for each finding.",
      "",
      "Example: ocicat datastore check"
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:nothing was found",
      "1:something was found",
      "2:the command line is invalid; nothing was done"
    })
final class DatastoreCheckCommand extends ResourceCommand {
  @Option(names = "--json", description = "Print JSON.")
  private boolean json;

  DatastoreCheckCommand(CommandContext context) {
    super(context);
  }

  @Override
  protected int run() {
    return withDatastore(
        datastore -> {
          List<String> findings = new ArrayList<>(damage(datastore));
          Map<Kind, List<Resource>> all = new EnumMap<>(Kind.class);
          int count = 0;
          for (Kind kind : DatastoreContents.kinds()) {
            ResourcePage page = DatastoreContents.page(datastore, kind);
            page.unreadable().forEach(it -> findings.add(it.problem()));
            page.items().forEach(item -> acceptable(item, findings));
            all.put(kind, page.items());
            count += page.items().size();
          }
          findings.addAll(new References(all).dangling());
          RawKeys raw = RawKeys.of(datastore);
          if (json) {
            ObjectNode unknown = Json.object();
            raw.groups().forEach(unknown::put);
            ObjectNode report = Json.object().put("resources", count);
            report.set("findings", Json.array(findings));
            report.set("unknownKeys", unknown);
            out().println(Json.pretty(report));
          } else {
            if (raw.count() > 0) {
              err()
                  .println(
                      "%d keys are of kinds that are not known here: %s"
                          .formatted(raw.count(), raw.names()));
            }
            findings.forEach(finding -> out().println(oneLine(finding)));
            err().println("%d resources looked at, %d findings".formatted(count, findings.size()));
          }
          return findings.isEmpty() ? 0 : 1;
        });
  }

  private static List<String> damage(Datastore datastore) {
    return datastore instanceof KeyValueDatastore keys
            && keys.store() instanceof EmbeddedStore embedded
        ? embedded.check().stream()
            .map(
                problem ->
                    problem + ": put a copy in its place, or save it with sqlite3's .recover")
            .toList()
        : List.of();
  }

  private static void acceptable(Resource resource, List<String> findings) {
    try {
      ResourceAdmission.standard().forUpdate(resource);
    } catch (InvalidException e) {
      findings.add(
          "%s: correct it with \"ocicat patch\" or \"ocicat replace\"".formatted(e.getMessage()));
    }
  }
}
