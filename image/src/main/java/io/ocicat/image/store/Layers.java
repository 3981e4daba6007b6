package io.ocicat.image.store;

import io.ocicat.base.json.Json;
import io.ocicat.base.json.JsonFields;
import io.ocicat.image.Digest;
import io.ocicat.image.files.Directory;
import io.ocicat.image.files.Trees;
import io.ocicat.image.manifest.Manifest;
import io.ocicat.image.unpack.LayerListing;
import io.ocicat.netlink.linux.NetlinkException;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;

/** The unpacked layers, by chain id. Thread-safe. */
final class Layers {
  private static final String DRAFT = ".new-";
  private static final String DISCARDED = ".damaged-";
  private static final int FEW = 10;

  private final StoreFiles files;
  private final Map<Digest, LayerListing.Total> sizes = new ConcurrentHashMap<>();

  Layers(StoreFiles files) {
    this.files = files;
  }

  private Path folder(Digest chainId) {
    return files.layers().resolve(chainId.hex());
  }

  /** The files of a layer, as overlayfs stacks them. */
  Path diff(Digest chainId) {
    return folder(chainId).resolve("diff");
  }

  /** Of several, the uppermost first, as overlayfs wants them. */
  List<Path> stack(List<Digest> chainIds) {
    return chainIds.reversed().stream().map(this::diff).toList();
  }

  boolean has(Digest chainId) {
    return Files.isDirectory(diff(chainId));
  }

  List<Digest> list() {
    return StoreFiles.names(files.layers()).stream()
        .filter(Digest::isHex)
        .map(Digest::new)
        .toList();
  }

  /** A folder to unpack a layer into, which becomes visible when it is committed. */
  Draft draft(Digest chainId) {
    Path folder =
        files
            .layers()
            .resolve(
                "%s%s-%08x".formatted(DRAFT, chainId.hex(), ThreadLocalRandom.current().nextInt()));
    StoreFiles.makeFolder(folder);
    StoreFiles.makeFolder(folder.resolve("diff"));
    try (Directory diff = Directory.open(folder.resolve("diff"))) {
      diff.permissions("", 0755);
    }
    files.pass("layer begun");
    return new Draft(chainId, folder);
  }

  /** A layer that is being unpacked. */
  record Draft(Digest chainId, Path folder) {
    Path diff() {
      return folder.resolve("diff");
    }

    void discard() {
      Trees.remove(folder);
    }
  }

  /** Lists what was unpacked. */
  void describe(Draft draft) {
    try (Directory diff = Directory.open(draft.diff());
        BufferedWriter listing = Files.newBufferedWriter(draft.folder().resolve("files"))) {
      LayerListing.Total total = LayerListing.list(diff, line -> listing.append(line).append('\n'));
      Files.write(
          draft.folder().resolve("layer.json"),
          Json.compactBytes(
              Json.object().put("bytes", total.bytes()).put("inodes", total.inodes())));
    } catch (IOException | NetlinkException e) {
      throw StoreFiles.failed("describe", draft.folder(), e);
    }
    files.pass("layer unpacked");
  }

  /**
   * Makes layers visible. First all they consist of is written to disk, once for all: a layer that
   * is there after a power failure must not have empty files.
   */
  void commit(List<Draft> drafts) {
    if (drafts.isEmpty()) {
      return;
    }
    try (Directory folder = Directory.open(files.layers())) {
      folder.syncFileSystem();
      files.pass("layers synced");
      for (Draft draft : drafts) {
        commit(draft);
      }
      folder.sync();
    } catch (NetlinkException e) {
      throw StoreFiles.failed("sync", files.layers(), e);
    }
  }

  private void commit(Draft draft) {
    try {
      Files.move(draft.folder(), folder(draft.chainId()), StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      if (!has(draft.chainId())) {
        throw StoreFiles.failed("rename", draft.folder(), e);
      }
      // Somebody else unpacked the same layer meanwhile.
      draft.discard();
    }
    files.pass("layer renamed");
  }

  /** What all layers occupy, as counted when they were unpacked. */
  LayerListing.Total usage() {
    long bytes = 0;
    long inodes = 0;
    for (Digest chainId : list()) {
      LayerListing.Total size = size(chainId);
      bytes += size.bytes();
      inodes += size.inodes();
    }
    return new LayerListing.Total(bytes, inodes);
  }

  LayerListing.Total size(Digest chainId) {
    return sizes.computeIfAbsent(
        chainId,
        _ ->
            StoreFiles.read(folder(chainId).resolve("layer.json"))
                .map(bytes -> Manifest.document(bytes, "layer.json", Layers::total))
                .orElse(new LayerListing.Total(0, 0)));
  }

  private static LayerListing.Total total(JsonFields in) {
    return new LayerListing.Total(
        in.longInteger("bytes", 0, Long.MAX_VALUE).required(),
        in.longInteger("inodes", 0, Long.MAX_VALUE).required());
  }

  /** The first differences between a layer and its listing. */
  List<String> verify(Digest chainId) {
    List<String> differences = new ArrayList<>();
    try (Directory diff = Directory.open(diff(chainId));
        BufferedReader listing = Files.newBufferedReader(folder(chainId).resolve("files"))) {
      Comparison comparison = new Comparison(listing, differences);
      LayerListing.list(diff, comparison::found);
      comparison.end();
    } catch (IOException | UncheckedIOException | NetlinkException e) {
      differences.add(String.valueOf(e.getMessage()));
    }
    return differences.size() <= FEW ? differences : differences.subList(0, FEW);
  }

  /** Takes a layer out of use; its files stay while containers have them mounted. */
  void discard(Digest chainId) {
    try {
      Files.move(
          folder(chainId),
          files
              .layers()
              .resolve(
                  "%s%s-%08x"
                      .formatted(DISCARDED, chainId.hex(), ThreadLocalRandom.current().nextInt())),
          StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw StoreFiles.failed("discard", folder(chainId), e);
    }
    sizes.remove(chainId);
  }

  /** Deletes a layer; returns the bytes that were freed. */
  long remove(Digest chainId) {
    long bytes = size(chainId).bytes();
    // Renamed first: a layer of which only a part is left must not have its name.
    Path doomed = files.layers().resolve(DRAFT + chainId.hex() + "-removed");
    Trees.remove(doomed);
    try {
      Files.move(folder(chainId), doomed, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw StoreFiles.failed("remove", folder(chainId), e);
    }
    sizes.remove(chainId);
    files.pass("layer hidden");
    Trees.remove(doomed);
    files.pass("layer removed");
    return bytes;
  }

  /** Deletes drafts, and discarded layers that no container has mounted. */
  void removeRemains(Set<Digest> inUse) {
    for (String name : StoreFiles.names(files.layers())) {
      boolean discarded =
          name.startsWith(DISCARDED)
              && inUse.stream().noneMatch(chainId -> name.contains(chainId.hex()));
      if (name.startsWith(DRAFT) || discarded) {
        Trees.remove(files.layers().resolve(name));
      }
    }
  }

  /** Compares two listings in the same order, line by line. */
  private static final class Comparison {
    private final BufferedReader listing;
    private final List<String> differences;
    private String expected;

    Comparison(BufferedReader listing, List<String> differences) throws IOException {
      this.listing = listing;
      this.differences = differences;
      this.expected = next();
    }

    private String next() throws IOException {
      String line = listing.readLine();
      return line == null ? "" : line;
    }

    void found(String line) throws IOException {
      if (line.equals(expected)) {
        expected = next();
        return;
      }
      String path = LayerListing.path(line);
      while (!expected.isEmpty() && !LayerListing.path(expected).equals(path)) {
        String missing = LayerListing.path(expected);
        if (!isBefore(missing, path)) {
          differences.add(path + " was not unpacked");
          return;
        }
        differences.add(missing + " is missing");
        expected = next();
      }
      if (expected.isEmpty()) {
        differences.add(path + " was not unpacked");
      } else {
        differences.add(
            "%s differs: is \"%s\", was \"%s\"".formatted(path, brief(line), brief(expected)));
        expected = next();
      }
    }

    /** In the order of a walk: the components are compared, not the slashes. */
    private static boolean isBefore(String a, String b) {
      return a.replace('/', '\0').compareTo(b.replace('/', '\0')) < 0;
    }

    private static String brief(String line) {
      return line.substring(0, line.lastIndexOf(' '));
    }

    void end() throws IOException {
      while (!expected.isEmpty()) {
        differences.add(LayerListing.path(expected) + " is missing");
        expected = next();
      }
    }
  }
}
