package io.ocicat.image.store;

import io.ocicat.base.json.JsonFields;
import io.ocicat.base.json.JsonValue;
import io.ocicat.image.Digest;
import io.ocicat.image.Image;
import io.ocicat.image.ImageException;
import io.ocicat.image.ImageException.Reason;
import io.ocicat.image.ImageReference;
import io.ocicat.image.PullEvent;
import io.ocicat.image.archive.ArchiveException;
import io.ocicat.image.archive.ArchiveFiles;
import io.ocicat.image.archive.ArchiveFiles.Content;
import io.ocicat.image.manifest.ConfigDocument;
import io.ocicat.image.manifest.Descriptor;
import io.ocicat.image.manifest.Manifest;
import io.ocicat.netlink.linux.FileLock;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * Loads the images of one archive. An archive with {@code index.json} is OCI's, also if docker
 * wrote {@code manifest.json} next to it: only the index says which digests the image has in
 * registries. Not thread-safe; one for each archive.
 */
final class ArchiveLoader {
  private static final String REF_NAME = "org.opencontainers.image.ref.name";
  private static final String CONTAINERD_NAME = "io.containerd.image.name";
  private static final int DEEPEST = 5;

  private final LocalImageStore store;
  private final ArchiveFiles archive;
  private final String what;
  private final @Nullable ImageReference name;
  private final PullEvent.Listener listener;
  private final List<Image> loaded = new ArrayList<>();

  ArchiveLoader(
      LocalImageStore store,
      ArchiveFiles archive,
      String what,
      @Nullable ImageReference name,
      PullEvent.Listener listener) {
    this.store = store;
    this.archive = archive;
    this.what = what;
    this.name = name;
    this.listener = listener;
  }

  List<Image> load() throws IOException {
    Optional<Content> index = archive.find("index.json");
    Optional<Content> docker = archive.find("manifest.json");
    if (index.isPresent()) {
      loadIndex(document(index.get(), "index.json"), "index.json", Optional.empty(), 0);
    } else if (docker.isPresent()) {
      loadDocker(document(docker.get(), "manifest.json"));
    } else {
      throw new ArchiveException(
          "it is not an image's archive: it has neither index.json nor manifest.json");
    }
    if (loaded.isEmpty()) {
      throw new ArchiveException("it has no image for " + store.settings().platform());
    }
    return loaded;
  }

  private byte[] document(Content content, String file) throws IOException {
    return content.readDocument(Manifest.LONGEST, file);
  }

  /** Every item of the outermost index is an image; of an index within it one fits this machine. */
  private void loadIndex(byte[] bytes, String file, Optional<Descriptor> named, int depth)
      throws IOException {
    switch (Manifest.parse(bytes, what + ": " + file)) {
      case Manifest.Single single -> loadOci(single, bytes, named);
      case Manifest.Index index -> {
        if (depth == DEEPEST) {
          throw new ArchiveException("its indexes are nested too deeply");
        }
        List<Descriptor> wanted =
            depth == 0 || index.items().size() == 1
                ? index.items().stream()
                    .filter(
                        item -> item.platform().map(store.settings().platform()::runs).orElse(true))
                    .map(Manifest.Item::descriptor)
                    .toList()
                : List.of(index.select(store.settings().platform()));
        for (Descriptor descriptor : wanted) {
          byte[] manifest = document(blob(descriptor), descriptor.digest().toString());
          verify(manifest, descriptor.digest());
          loadIndex(
              manifest,
              descriptor.digest().toString(),
              depth == 0 ? Optional.of(descriptor) : named,
              depth + 1);
        }
      }
    }
  }

  private Content blob(Descriptor descriptor) throws IOException {
    return archive
        .find("blobs/sha256/" + descriptor.digest().hex())
        .orElseThrow(
            () -> new ArchiveException("the blob %s is missing".formatted(descriptor.digest())));
  }

  private static void verify(byte[] bytes, Digest expected) throws ArchiveException {
    Digest found = Digest.of(bytes);
    if (!found.equals(expected)) {
      throw new ArchiveException("the blob %s has the digest %s".formatted(expected, found));
    }
  }

  private void loadOci(Manifest.Single manifest, byte[] bytes, Optional<Descriptor> named)
      throws IOException {
    byte[] config =
        document(blob(manifest.config()), "configuration " + manifest.config().digest());
    verify(config, manifest.config().digest());
    List<Content> layers = new ArrayList<>();
    for (Descriptor layer : manifest.layers()) {
      layers.add(blob(layer));
    }
    Optional<ImageReference> reference = named.flatMap(this::reference);
    List<String> digests =
        reference
            .map(ref -> ref.at(named.map(Descriptor::digest).orElse(Digest.of(bytes))).toString())
            .stream()
            .toList();
    install(
        config,
        layers,
        reference.filter(ref -> ref.tag() != null).map(ImageReference::toString).stream().toList(),
        digests,
        List.of(bytes));
  }

  /** An annotation that is only a tag names nothing. */
  private Optional<ImageReference> reference(Descriptor descriptor) {
    if (name != null) {
      return Optional.of(name);
    }
    String full =
        descriptor
            .annotations()
            .getOrDefault(CONTAINERD_NAME, descriptor.annotations().getOrDefault(REF_NAME, ""));
    return full.contains("/") || full.contains(":")
        ? Optional.of(ImageReference.parse(full))
        : Optional.empty();
  }

  private void loadDocker(byte[] bytes) throws IOException {
    List<ObjectNode> images = new ArrayList<>();
    try {
      for (JsonValue item : JsonValue.of(Manifest.JSON.parse(bytes)).items()) {
        images.add(
            item.raw()
                .filter(ObjectNode.class::isInstance)
                .map(ObjectNode.class::cast)
                .orElseThrow(() -> new IllegalArgumentException("not a list of objects")));
      }
    } catch (IllegalArgumentException e) {
      throw new ArchiveException("manifest.json: " + e.getMessage(), e);
    }
    for (ObjectNode image : images) {
      loadDocker(JsonFields.of(image));
    }
  }

  private void loadDocker(JsonFields in) throws IOException {
    String configName = in.text("Config").required();
    List<String> layerNames = in.texts("Layers").or(List.of());
    List<String> tags = in.texts("RepoTags").or(List.of());
    in.problems().throwIfAny();
    byte[] config = document(file(configName), configName);
    List<Content> layers = new ArrayList<>();
    for (String layer : layerNames) {
      layers.add(file(layer));
    }
    List<String> names = new ArrayList<>();
    if (name != null) {
      names.add(name.toString());
    } else {
      for (String tag : tags) {
        names.add(ImageReference.parse(tag).toString());
      }
    }
    install(config, layers, names, List.of(), List.of());
  }

  private Content file(String file) throws IOException {
    return archive
        .find(file)
        .orElseThrow(() -> new ArchiveException("the file %s is missing".formatted(file)));
  }

  private void install(
      byte[] configBytes,
      List<Content> layers,
      List<String> tags,
      List<String> digests,
      List<byte[]> manifests) {
    ConfigDocument config = ConfigDocument.parse(configBytes, what + ": configuration");
    if (config.diffIds().size() != layers.size()) {
      throw new ImageException(
          Reason.REFUSED,
          "%s: the manifest has %d layers, the configuration %d"
              .formatted(what, layers.size(), config.diffIds().size()));
    }
    try (FileLock _ = store.files().lockForAdding();
        LayerInstaller installer =
            new LayerInstaller(store.layers(), store.settings(), config.diffIds())) {
      long size = configBytes.length;
      for (int i = 0; i < layers.size(); i++) {
        Content layer = layers.get(i);
        Digest diffId = config.diffIds().get(i);
        size += layer.size();
        listener.on(
            new PullEvent.Layer(
                diffId, PullEvent.LayerState.UNPACKING, layer.size(), layer.size()));
        installer.unpack(i, layer::open, "%s: layer %s".formatted(what, diffId));
        listener.on(
            new PullEvent.Layer(diffId, PullEvent.LayerState.COMPLETE, layer.size(), layer.size()));
      }
      List<Digest> written = manifests.stream().map(store.blobs()::write).toList();
      Digest id = store.blobs().write(configBytes);
      installer.commit();
      Image image = store.records().put(new ImageRecords.Entry(id, size, written, tags, digests));
      listener.on(new PullEvent.Done(image));
      loaded.add(image);
    }
  }
}
