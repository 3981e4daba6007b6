package io.ocicat.image.manifest;

import io.ocicat.base.json.InvalidFieldsException;
import io.ocicat.base.json.JsonFields;
import io.ocicat.base.json.JsonReader;
import io.ocicat.base.json.JsonReader.DuplicateKeys;
import io.ocicat.base.json.JsonSyntaxException;
import io.ocicat.image.ImageException;
import io.ocicat.image.ImageException.Reason;
import io.ocicat.image.Platform;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import tools.jackson.databind.node.ObjectNode;

/** What a registry serves under a name: an image, or several for different platforms. */
public sealed interface Manifest {
  /** Longer documents are refused, as registries do. */
  int LONGEST = 4 << 20;

  /** In the order of preference. */
  List<String> MEDIA_TYPES =
      List.of(
          "application/vnd.oci.image.index.v1+json",
          "application/vnd.docker.distribution.manifest.list.v2+json",
          "application/vnd.oci.image.manifest.v1+json",
          "application/vnd.docker.distribution.manifest.v2+json");

  JsonReader JSON = new JsonReader(LONGEST, 500_000, DuplicateKeys.REFUSED);

  /** One image: its configuration and its layers, the lowest first. */
  record Single(Descriptor config, List<Descriptor> layers) implements Manifest {
    private static final int MOST_LAYERS = 500;

    public Single {
      layers = List.copyOf(layers);
      if (layers.size() > MOST_LAYERS) {
        throw new IllegalArgumentException(
            "the image has %d layers, at most %d can be mounted"
                .formatted(layers.size(), MOST_LAYERS));
      }
    }

    /** What is transferred. */
    public long bytes() {
      return config.size() + layers.stream().mapToLong(Descriptor::size).sum();
    }
  }

  /** Manifests, or further indexes, for several platforms. */
  record Index(List<Item> items) implements Manifest {
    public Index {
      items = List.copyOf(items);
    }

    /**
     * Finds what runs on a platform: the exact variant first.
     *
     * @throws ImageException listing what there is
     */
    public Descriptor select(Platform wanted) {
      return items.stream()
          .filter(item -> item.platform().filter(wanted::equals).isPresent())
          .findFirst()
          .or(
              () ->
                  items.stream()
                      .filter(item -> item.platform().filter(wanted::runs).isPresent())
                      .findFirst())
          // An index of one image need not say what it is for.
          .or(() -> items.size() == 1 ? items.stream().findFirst() : Optional.empty())
          .filter(item -> item.platform().map(wanted::runs).orElse(true))
          .map(Item::descriptor)
          .orElseThrow(
              () ->
                  new ImageException(
                      Reason.NOT_FOUND,
                      "there is no image for %s, only for: %s"
                          .formatted(
                              wanted,
                              items.stream()
                                  .flatMap(item -> item.platform().stream())
                                  .map(Platform::toString)
                                  // Attestations of builders.
                                  .filter(name -> !name.startsWith("unknown/"))
                                  .distinct()
                                  .collect(Collectors.joining(", ")))));
    }
  }

  /** One of several. */
  record Item(Descriptor descriptor, Optional<Platform> platform) {}

  /**
   * Reads a manifest or an index. Which one it is, its members say: media types are optional.
   *
   * @throws ImageException naming {@code what} and every bad field
   */
  static Manifest parse(byte[] bytes, String what) {
    return document(bytes, what, Manifest::read);
  }

  private static Manifest read(JsonFields in) {
    if (in.integer("schemaVersion", 1, 2).or(2) == 1) {
      throw new IllegalArgumentException(
          "it has docker's schema 1, which is not supported: push the image again");
    }
    if (in.has("manifests")) {
      List<Item> items = new ArrayList<>();
      for (JsonFields item : in.objects("manifests")) {
        items.add(new Item(Descriptor.read(item), platform(item)));
      }
      return new Index(items);
    }
    Descriptor config = Descriptor.read(in.object("config"));
    List<Descriptor> layers = in.objects("layers").stream().map(Descriptor::read).toList();
    if (!config.mediaType().isEmpty() && !isImageConfig(config.mediaType())) {
      throw new IllegalArgumentException(
          "it is not a container image: its configuration has the media type "
              + config.mediaType());
    }
    return new Single(config, layers);
  }

  private static boolean isImageConfig(String mediaType) {
    return mediaType.equals("application/vnd.oci.image.config.v1+json")
        || mediaType.equals("application/vnd.docker.container.image.v1+json")
        || mediaType.equals("application/octet-stream");
  }

  private static Optional<Platform> platform(JsonFields item) {
    if (!item.has("platform")) {
      return Optional.empty();
    }
    JsonFields platform = item.object("platform");
    return Optional.of(
        new Platform(
            platform.text("os").or(""),
            platform.text("architecture").or(""),
            platform.text("variant").or("")));
  }

  /** Reads a JSON object, whatever is wrong with it becoming one line. */
  static <T> T document(byte[] bytes, String what, Function<JsonFields, T> reader) {
    try {
      ObjectNode object = JSON.parseObject(new String(bytes, StandardCharsets.UTF_8));
      return JsonFields.read(object, reader);
    } catch (InvalidFieldsException | JsonSyntaxException e) {
      throw new ImageException(Reason.REFUSED, what + ": " + e.getMessage(), e);
    } catch (IllegalArgumentException e) {
      throw new ImageException(Reason.INVALID, what + ": " + e.getMessage(), e);
    }
  }
}
