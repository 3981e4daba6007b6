package io.ocicat.cli.image;

import io.ocicat.base.json.Json;
import io.ocicat.image.ImageStore;
import io.ocicat.image.ImageStore.DamagedLayer;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** {@code ocicat image verify}: compares files with what was unpacked. */
@Command(
    name = "verify",
    description = {
      "Compare the files of all images with what was unpacked.",
      "Finds what failing disks and power failures leave. Reads everything, which takes a while."
    },
    mixinStandardHelpOptions = true,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:all files are as they were unpacked, or what is damaged was discarded",
      "1:files are missing or differ",
      "2:the command line is invalid; nothing was done"
    },
    footer = {"", "Example: ocicat image verify --discard"})
final class ImageVerifyCommand extends ImageCommand.Sub {
  @Option(
      names = "--discard",
      description = "Take damaged images out of use, so that they are pulled again.")
  private boolean discard;

  @Override
  int call(ImageStore store) {
    int images = store.list().size();
    List<DamagedLayer> damaged = store.verify();
    if (discard) {
      damaged.forEach(store::discard);
    }
    if (json()) {
      out().println(Json.pretty(document(damaged)));
    } else {
      damaged.forEach(this::print);
      if (damaged.isEmpty()) {
        out()
            .println(
                "every file of %d image%s is as it was unpacked"
                    .formatted(images, images == 1 ? "" : "s"));
      }
    }
    return damaged.isEmpty() || discard ? 0 : 1;
  }

  private void print(DamagedLayer layer) {
    out()
        .println(
            "layer %s of %s is damaged%s:"
                .formatted(
                    layer.chainId(),
                    String.join(", ", layer.images()),
                    discard ? " and was discarded: pull the image again" : ""));
    layer.differences().forEach(line -> out().println("  " + line));
  }

  private static ObjectNode document(List<DamagedLayer> damaged) {
    ObjectNode document = Json.object();
    ArrayNode layers = document.putArray("damaged");
    for (DamagedLayer layer : damaged) {
      ObjectNode each = layers.addObject().put("layer", layer.chainId().toString());
      each.set("images", Json.array(layer.images()));
      each.set("differences", Json.array(layer.differences()));
    }
    return document;
  }
}
