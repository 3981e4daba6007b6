package io.ocicat.cli.cluster;

import io.ocicat.base.json.Json;
import io.ocicat.cli.options.NodeContext;
import java.time.Duration;
import java.util.Optional;
import picocli.CommandLine.Command;

/** {@code ocicat cluster down}: removes a cluster. */
@Command(
    name = "down",
    description = {
      "Remove a cluster with everything in it.",
      "All of its processes end at once, and with them its namespaces, mounts, links and files."
    },
    mixinStandardHelpOptions = true,
    footer = {"", "Example: ocicat cluster down --name ocicat"},
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:there is none, now or before",
      "1:it could not be removed",
      "2:the command line is invalid; nothing was done"
    })
final class ClusterDownCommand extends ClusterCommand.Sub {
  private static final Duration GRACE = Duration.ofSeconds(30);

  ClusterDownCommand(NodeContext context) {
    super(context);
  }

  @Override
  public Integer call() {
    ClusterFolder folder = folder();
    Optional<ClusterFolder.Recorded> found = folder.find();
    found.ifPresent(
        cluster -> {
          cluster.holder().close();
          if (!cluster.ready()) {
            // Whoever brings it up removes the folder as well, when the next step fails.
            cluster.creator().end(GRACE, false);
          }
        });
    boolean left = folder.remove();
    if (json()) {
      out()
          .println(
              Json.pretty(
                  Json.object().put("name", folder.name()).put("removed", found.isPresent())));
    } else {
      out()
          .println(
              found.isPresent()
                  ? "cluster \"%s\" is gone".formatted(folder.name())
                  : "no cluster \"%s\" was up%s"
                      .formatted(folder.name(), left ? "; its folder is removed" : ""));
    }
    return 0;
  }
}
