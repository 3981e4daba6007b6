package io.ocicat.cli.image;

import io.ocicat.base.json.Json;
import io.ocicat.cli.terminal.TextTable;
import io.ocicat.image.Image;
import io.ocicat.image.ImageStore;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** {@code ocicat image ls}: lists images. */
@Command(
    name = "list",
    aliases = "ls",
    description = {
      "List the images of this machine.",
      "SIZE is what was transferred; an image with several names has a line for each."
    },
    mixinStandardHelpOptions = true,
    footer = {"", "Example: ocicat image list --json"})
final class ImageListCommand extends ImageCommand.Sub {
  private static final int SHORT_ID = 12;

  @Option(
      names = {"-q", "--quiet"},
      description = "Print ids only.")
  private boolean quiet;

  @Override
  int call(ImageStore store) {
    List<Image> images = store.list();
    if (json()) {
      ObjectNode all = Json.object();
      ArrayNode list = all.putArray("images");
      images.forEach(image -> list.add(ImageJson.of(image)));
      ImageStore.StoreUsage usage = store.usage();
      all.putObject("usage").put("bytes", usage.bytes()).put("inodes", usage.inodes());
      out().println(Json.pretty(all));
    } else if (quiet) {
      images.forEach(image -> out().println(image.id()));
    } else {
      table(images).printTo(out());
    }
    return 0;
  }

  private static TextTable table(List<Image> images) {
    TextTable table = new TextTable("IMAGE", "ID", "SIZE", "PLATFORM");
    for (Image image : images) {
      List<String> names =
          image.repoTags().isEmpty() ? List.of(ImageJson.name(image)) : image.repoTags();
      for (String name : names) {
        table.row(
            name,
            image.id().hex().substring(0, SHORT_ID),
            TransferView.bytes(image.size()),
            image.platform().toString());
      }
    }
    return table;
  }
}
