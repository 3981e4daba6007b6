package io.ocicat.cli.image;

import io.ocicat.base.json.Json;
import io.ocicat.image.Image;
import io.ocicat.image.ImageStore;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** {@code ocicat image load}: loads images from an archive. */
@Command(
    name = "load",
    description = {
      "Load the images of an archive.",
      "Archives of docker (\"docker save\", \"podman save\") and of OCI, plain or compressed with gzip or"
          + " zstd, or the folder of an OCI layout."
    },
    mixinStandardHelpOptions = true,
    footer = {"", "Example: ocicat image load busybox.tar"})
final class ImageLoadCommand extends ImageCommand.Sub {
  @Parameters(paramLabel = "ARCHIVE", description = "A file, a folder, or - for standard input.")
  private Path archive = Path.of("-");

  @Option(
      names = "--name",
      paramLabel = "IMAGE",
      description = "The image's name, instead of what the archive says.")
  private @Nullable String name;

  @Override
  int call(ImageStore store) {
    if (!archive.toString().equals("-")) {
      return load(store, archive);
    }
    try {
      Path received = Files.createTempFile(store.usage().mountPoint(), ".received-", "");
      try {
        Files.copy(System.in, received, StandardCopyOption.REPLACE_EXISTING);
        return load(store, received);
      } finally {
        Files.deleteIfExists(received);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot copy standard input: " + e.getMessage(), e);
    }
  }

  private int load(ImageStore store, Path file) {
    List<Image> loaded;
    try (TransferView view = new TransferView(err())) {
      loaded = store.load(file, name == null ? null : reference(name), view);
    }
    if (json()) {
      ObjectNode all = Json.object();
      ArrayNode list = all.putArray("images");
      loaded.forEach(image -> list.add(ImageJson.of(image)));
      out().println(Json.pretty(all));
    } else {
      loaded.forEach(image -> out().println(ImageJson.name(image)));
    }
    return 0;
  }
}
