package io.ocicat.image.store;

import io.ocicat.image.Digest;
import io.ocicat.image.Image;
import io.ocicat.image.ImageException;
import io.ocicat.image.ImageException.Reason;
import io.ocicat.image.ImageReference;
import io.ocicat.image.ImageStore;
import io.ocicat.image.PullEvent;
import io.ocicat.image.RegistryCredentials;
import io.ocicat.image.Snapshots;
import io.ocicat.image.archive.ArchiveException;
import io.ocicat.image.archive.ArchiveFiles;
import io.ocicat.image.archive.Decompression;
import io.ocicat.image.archive.FolderFiles;
import io.ocicat.image.archive.TarFiles;
import io.ocicat.image.unpack.LayerListing;
import io.ocicat.netlink.linux.NetlinkException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ThreadLocalRandom;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The store in a folder: see {@link StoreFiles} for what is in it. */
public final class LocalImageStore implements ImageStore {
  private static final String ID_PREFIX = "sha256:";
  private static final Pattern BEGINNING_OF_ID = Pattern.compile("[0-9a-f]{3,64}");

  private final StoreSettings settings;
  private final StoreFiles files;
  private final Blobs blobs;
  private final Layers layers;
  private final ImageRecords records;
  private final LocalSnapshots snapshots;
  private final GarbageCollector garbage;
  private final KeyedGuards downloads = new KeyedGuards();

  private LocalImageStore(StoreSettings settings) {
    this.settings = settings;
    this.files = new StoreFiles(settings.root(), settings.points());
    this.blobs = new Blobs(files);
    this.layers = new Layers(files);
    this.records = new ImageRecords(files, blobs, layers);
    this.snapshots = new LocalSnapshots(files, layers, settings.overlay());
    this.garbage = new GarbageCollector(files, blobs, layers, records, snapshots);
  }

  /** Opens a store, which is made if it does not exist. */
  public static LocalImageStore open(StoreSettings settings) {
    return new LocalImageStore(settings);
  }

  @Override
  public Optional<Image> find(String nameOrId) {
    boolean prefixed = nameOrId.startsWith(ID_PREFIX);
    String hex = prefixed ? nameOrId.substring(ID_PREFIX.length()) : nameOrId;
    if (prefixed || Digest.isHex(hex)) {
      return byId(hex);
    }
    // A name comes before the beginning of an id: repositories may be called "cafe".
    return byName(nameOrId).or(() -> byId(hex));
  }

  private Optional<Image> byId(String hex) {
    if (!BEGINNING_OF_ID.matcher(hex).matches()) {
      return Optional.empty();
    }
    List<Image> found =
        records.images().stream().filter(image -> image.id().hex().startsWith(hex)).toList();
    return found.size() == 1 ? Optional.of(found.getFirst()) : Optional.empty();
  }

  private Optional<Image> byName(String text) {
    String name;
    try {
      name = ImageReference.parse(text).toString();
    } catch (IllegalArgumentException e) {
      throw new ImageException(Reason.INVALID, String.valueOf(e.getMessage()), e);
    }
    return records.images().stream()
        .filter(image -> image.repoTags().contains(name) || image.repoDigests().contains(name))
        .findFirst();
  }

  @Override
  public List<Image> list() {
    return records.images();
  }

  @Override
  public Image pull(
      ImageReference reference, RegistryCredentials credentials, PullEvent.Listener listener) {
    Image image = new ImagePull(this, reference, credentials, listener).pull();
    collectGarbage();
    return image;
  }

  @Override
  public List<Image> load(
      Path archive, @Nullable ImageReference name, PullEvent.Listener listener) {
    Path expanded =
        files.partial().resolve("archive-%08x".formatted(ThreadLocalRandom.current().nextInt()));
    try (ArchiveFiles content = open(archive, expanded)) {
      return new ArchiveLoader(this, content, archive.toString(), name, listener).load();
    } catch (NoSuchFileException e) {
      throw new ImageException(Reason.NOT_FOUND, archive + " does not exist", e);
    } catch (ArchiveException | IllegalArgumentException e) {
      throw new ImageException(Reason.REFUSED, "%s: %s".formatted(archive, e.getMessage()), e);
    } catch (IOException | NetlinkException e) {
      throw StoreFiles.failed("load", archive, e);
    } finally {
      StoreFiles.remove(expanded);
      collectGarbage();
    }
  }

  /** An archive that is compressed is expanded first, because its files are read in any order. */
  private ArchiveFiles open(Path archive, Path expanded) throws IOException {
    if (Files.isDirectory(archive)) {
      return new FolderFiles(archive);
    }
    byte[] start;
    try (InputStream in = Files.newInputStream(archive)) {
      start = in.readNBytes(4);
    }
    if (Decompression.of(start) == Decompression.NONE) {
      return TarFiles.open(archive, settings.limits());
    }
    try (InputStream in = Decompression.open(Files.newInputStream(archive))) {
      Expansion.write(in, expanded, settings.limits().bytes());
    }
    return TarFiles.open(expanded, settings.limits());
  }

  @Override
  public boolean remove(String nameOrId) {
    Optional<Image> image = find(nameOrId);
    boolean removed = image.isPresent() && records.remove(image.get().id());
    if (removed) {
      collectGarbage();
    }
    return removed;
  }

  @Override
  public boolean untag(ImageReference reference) {
    return records.untag(reference);
  }

  @Override
  public byte[] rawConfig(Image image) {
    return blobs.required(image.id(), "the configuration");
  }

  @Override
  public CollectedGarbage collectGarbage() {
    try {
      return garbage.collect();
    } catch (NetlinkException e) {
      throw StoreFiles.failed("collect garbage in", files.root(), e);
    }
  }

  @Override
  public StoreUsage usage() {
    LayerListing.Total total = layers.usage();
    return new StoreUsage(
        files.root(), total.bytes() + blobs.bytes(), total.inodes() + blobs.list().size());
  }

  @Override
  public List<DamagedLayer> verify() {
    TreeMap<Digest, TreeSet<String>> users = new TreeMap<>();
    for (Image image : records.images()) {
      String name =
          image.repoTags().isEmpty() ? image.id().toString() : image.repoTags().getFirst();
      image.chainIds().forEach(id -> users.computeIfAbsent(id, _ -> new TreeSet<>()).add(name));
    }
    List<DamagedLayer> damaged = new ArrayList<>();
    users.forEach(
        (chainId, images) -> {
          List<String> differences = layers.verify(chainId);
          if (!differences.isEmpty()) {
            damaged.add(new DamagedLayer(chainId, List.copyOf(images), differences));
          }
        });
    return damaged;
  }

  @Override
  public void discard(DamagedLayer layer) {
    layers.discard(layer.chainId());
    records.invalidate();
  }

  @Override
  public Snapshots snapshots() {
    return snapshots;
  }

  StoreSettings settings() {
    return settings;
  }

  StoreFiles files() {
    return files;
  }

  Blobs blobs() {
    return blobs;
  }

  Layers layers() {
    return layers;
  }

  ImageRecords records() {
    return records;
  }

  /** One download of a blob at a time. */
  KeyedGuards downloads() {
    return downloads;
  }

  /** Nothing is held open between operations. */
  @Override
  public void close() {}
}
