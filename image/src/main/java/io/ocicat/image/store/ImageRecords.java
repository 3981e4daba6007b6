package io.ocicat.image.store;

import io.ocicat.base.json.Json;
import io.ocicat.base.json.JsonFields;
import io.ocicat.image.Digest;
import io.ocicat.image.Image;
import io.ocicat.image.ImageReference;
import io.ocicat.image.manifest.ConfigDocument;
import io.ocicat.image.manifest.Manifest;
import io.ocicat.netlink.linux.FileLock;
import io.ocicat.netlink.linux.FileStat;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The images and their names, in one file that is replaced as a whole: moving a tag from one image
 * to another, or removing an image with its ten names, is one step.
 *
 * <p>Reading is answered from memory, after a look at the file's identity: other processes may have
 * replaced it. An image whose configuration or layers are missing is not shown, so that whoever
 * needs it pulls it again. Thread-safe.
 */
final class ImageRecords {
  private final StoreFiles files;
  private final Blobs blobs;
  private final Layers layers;
  private @Nullable Loaded loaded;

  /**
   * What the file says of an image.
   *
   * @param manifests what was pulled: an index and a manifest, or one; empty for docker's archives
   */
  record Entry(
      Digest id, long size, List<Digest> manifests, List<String> tags, List<String> digests) {
    Entry {
      manifests = List.copyOf(manifests);
      tags = List.copyOf(tags);
      digests = List.copyOf(digests);
    }

    Entry without(String tag) {
      return new Entry(
          id, size, manifests, tags.stream().filter(each -> !each.equals(tag)).toList(), digests);
    }

    Entry joined(Entry other) {
      return new Entry(
          id,
          Math.max(size, other.size),
          union(manifests, other.manifests),
          union(tags, other.tags),
          union(digests, other.digests));
    }

    private static <T extends Comparable<T>> List<T> union(List<T> a, List<T> b) {
      TreeSet<T> all = new TreeSet<>(a);
      all.addAll(b);
      return List.copyOf(all);
    }
  }

  private record Loaded(Optional<FileStat> file, List<Entry> entries, List<Image> images) {
    Loaded {
      entries = List.copyOf(entries);
      images = List.copyOf(images);
    }
  }

  ImageRecords(StoreFiles files, Blobs blobs, Layers layers) {
    this.files = files;
    this.blobs = blobs;
    this.layers = layers;
  }

  List<Image> images() {
    return current().images();
  }

  /** Including what {@link #images} does not show. */
  List<Entry> entries() {
    return current().entries();
  }

  /** Looks at the content again, as after a layer was discarded. */
  synchronized void invalidate() {
    loaded = null;
  }

  /** Adds an image, or names to it; its tags are taken from other images. */
  Image put(Entry added) {
    try (FileLock _ = files.lockRecords()) {
      Map<Digest, Entry> all = byId(reload().entries());
      for (String tag : added.tags()) {
        all.replaceAll((_, entry) -> entry.without(tag));
      }
      all.merge(added.id(), added, Entry::joined);
      write(all);
    }
    invalidate();
    return find(added.id())
        .orElseThrow(
            () ->
                new IllegalStateException("image " + added.id() + " vanished while it was added"));
  }

  /** Returns whether it existed. */
  boolean remove(Digest id) {
    return change(
        all -> {
          all.remove(id);
          return all;
        });
  }

  /** Takes a name from whichever image has it; returns whether one had it. */
  boolean untag(ImageReference reference) {
    return change(
        all -> {
          all.replaceAll((_, entry) -> entry.without(reference.toString()));
          return all;
        });
  }

  private boolean change(UnaryOperator<Map<Digest, Entry>> change) {
    try (FileLock _ = files.lockRecords()) {
      List<Entry> before = reload().entries();
      Map<Digest, Entry> all = change.apply(byId(before));
      if (List.copyOf(all.values()).equals(before)) {
        return false;
      }
      write(all);
    }
    invalidate();
    return true;
  }

  Optional<Image> find(Digest id) {
    return images().stream().filter(image -> image.id().equals(id)).findFirst();
  }

  private static Map<Digest, Entry> byId(List<Entry> entries) {
    Map<Digest, Entry> all = new TreeMap<>();
    entries.forEach(entry -> all.put(entry.id(), entry));
    return all;
  }

  private void write(Map<Digest, Entry> all) {
    ObjectNode document = Json.object().put("version", 1);
    ArrayNode list = document.putArray("images");
    for (Entry entry : all.values()) {
      ObjectNode image = list.addObject();
      image.put("id", entry.id().toString()).put("size", entry.size());
      image.set("manifests", Json.array(entry.manifests().stream().map(Digest::toString).toList()));
      image.set("tags", Json.array(entry.tags()));
      image.set("digests", Json.array(entry.digests()));
    }
    files.pass("records changed");
    StoreFiles.write(files.images(), Json.prettyBytes(document));
    files.pass("records written");
  }

  private synchronized Loaded current() {
    Loaded known = loaded;
    return known != null && known.file().equals(stat()) ? known : reload();
  }

  private synchronized Loaded reload() {
    // Asked before reading: if the file is replaced in between, the next caller notices.
    Optional<FileStat> file = stat();
    List<Entry> entries =
        StoreFiles.read(files.images())
            .map(bytes -> Manifest.document(bytes, files.images().toString(), ImageRecords::read))
            .orElse(List.of());
    List<Image> images = new ArrayList<>();
    entries.forEach(entry -> image(entry).ifPresent(images::add));
    Loaded fresh = new Loaded(file, entries, images);
    loaded = fresh;
    return fresh;
  }

  private Optional<FileStat> stat() {
    Path file = files.images();
    return Files.exists(file) ? Optional.of(FileStat.of(file)) : Optional.empty();
  }

  private static List<Entry> read(JsonFields in) {
    List<Entry> entries = new ArrayList<>();
    for (JsonFields image : in.objects("images")) {
      entries.add(
          new Entry(
              Digest.parse(image.text("id").required()),
              image.longInteger("size", 0, Long.MAX_VALUE).required(),
              image.texts("manifests").or(List.of()).stream().map(Digest::parse).toList(),
              image.texts("tags").or(List.of()),
              image.texts("digests").or(List.of())));
    }
    return entries;
  }

  private Optional<Image> image(Entry entry) {
    return blobs
        .read(entry.id())
        .map(bytes -> ConfigDocument.parse(bytes, "configuration " + entry.id()))
        .filter(config -> Image.chainIds(config.diffIds()).stream().allMatch(layers::has))
        .map(
            config ->
                new Image(
                    entry.id(),
                    entry.tags(),
                    entry.digests(),
                    entry.size(),
                    config.platform(),
                    config.created(),
                    config.config(),
                    config.diffIds()));
  }
}
