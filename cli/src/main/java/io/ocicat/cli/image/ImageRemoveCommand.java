package io.ocicat.cli.image;

import io.ocicat.base.json.Json;
import io.ocicat.image.Image;
import io.ocicat.image.ImageException;
import io.ocicat.image.ImageException.Reason;
import io.ocicat.image.ImageStore;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.node.ObjectNode;

/** {@code ocicat image rm}: removes images. */
@Command(
    name = "rm",
    description = {
      "Remove images with all their names.",
      "Containers that use one keep its files, which go with the last of them."
    },
    mixinStandardHelpOptions = true,
    footer = {"", "Example: ocicat image rm busybox:latest"})
final class ImageRemoveCommand extends ImageCommand.Sub {
  @Parameters(
      paramLabel = "IMAGE",
      arity = "0..*",
      description = "Names, ids, or beginnings of ids.")
  private List<String> names = List.of();

  @Option(
      names = {"-a", "--all"},
      description = "All images.")
  private boolean all;

  @Override
  int call(ImageStore store) {
    if (all != names.isEmpty()) {
      throw misuse("name images, or give --all");
    }
    List<String> wanted =
        all ? store.list().stream().map(image -> image.id().toString()).toList() : names;
    List<String> removed = new ArrayList<>();
    for (String name : wanted) {
      Image image =
          store
              .find(name)
              .orElseThrow(
                  () ->
                      new ImageException(
                          Reason.NOT_FOUND,
                          "there is no image %s; see `ocicat image ls`".formatted(name)));
      store.remove(image.id().toString());
      removed.add(image.id().toString());
      if (!json()) {
        out().println(image.id());
      }
    }
    if (json()) {
      ObjectNode document = Json.object();
      document.set("removed", Json.array(removed));
      out().println(Json.pretty(document));
    }
    return 0;
  }
}
