package io.ocicat.cni.runtime;

import io.ocicat.base.Quoted;
import io.ocicat.cni.CniException;
import io.ocicat.cni.CniJson;
import io.ocicat.cni.ContainerId;
import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.Result;
import io.ocicat.cni.SpecVersion;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Stream;
import tools.jackson.databind.node.ObjectNode;

/**
 * Caches attachments and their results in libcni's files ({@code
 * <root>/results/<network>-<id>-<ifname>}): a Go runtime finds what we wrote and vice versa.
 *
 * <p>Unlike libcni's, its files appear complete or not at all, an attachment never reads or removes
 * the file of another one that happens to have the same name, and unreadable files are reported to
 * {@code warnings}. The caller holds the container's lock, which prevents two writers of one file.
 */
final class ResultCache {
  private final Path results;
  private final PrivateDirectory own;
  private final Consumer<String> warnings;

  ResultCache(Path root, Consumer<String> warnings) {
    this.results = root.resolve("results");
    // Within results, because a rename works only within one file system; Go skips directories in
    // there.
    this.own = new PrivateDirectory(results.resolve(".ocicat"));
    this.warnings = warnings;
  }

  /** What the cache contains about an attachment. */
  sealed interface Found {
    record Nothing() implements Found {}

    record Attached(CachedAttachment attachment) implements Found {}

    /** From before libcni 0.8.0. */
    record ResultOnly(ObjectNode result) implements Found {}

    record Unusable(CniException why) implements Found {}

    /**
     * The result in {@code version}; empty when there is none.
     *
     * @throws CniException when it exists and cannot be used
     */
    default Optional<Result> resultIn(SpecVersion version) {
      return switch (this) {
        case Nothing _ -> Optional.empty();
        case Attached(CachedAttachment attachment) ->
            Optional.of(
                converted(attachment.result().orElseGet(() -> Result.empty(version)), version));
        case ResultOnly(ObjectNode result) ->
            Optional.of(converted(Result.parse(result, SpecVersion.V0_1_0), version));
        case Unusable(CniException why) -> throw why;
      };
    }

    /** The container, with unset values taken from its ADD. */
    default Container complete(Container container) {
      return this instanceof Attached(CachedAttachment attachment)
          ? container.orAsCached(attachment.container())
          : container;
    }

    private static Result converted(Result result, SpecVersion version) {
      try {
        return result.convertTo(version);
      } catch (CniException e) {
        throw e.prefixed(
            "failed to convert cached result to config version %s: "
                .formatted(Quoted.of(version.text())));
      }
    }
  }

  /** For files that only our own processes use. */
  PrivateDirectory own() {
    return own;
  }

  /**
   * Ensures that the cache is writable, before anything is done that must be cached.
   *
   * @throws CniException with code 5
   */
  void prepare(CacheKey key) {
    try {
      own.create();
    } catch (IOException e) {
      throw refuse(key, e);
    }
  }

  /**
   * Stores the attachment, replacing an existing entry.
   *
   * @throws CniException with code 5
   */
  void put(CachedAttachment attachment) {
    CacheKey key = CacheKey.of(attachment.network(), attachment.container());
    Path target =
        libcniFile(key)
            .filter(file -> !isOfAnother(key, file))
            .orElseGet(() -> results.resolve(key.ownFile()));
    try {
      own.create();
      own.replace(target, key.digest(), CacheFile.write(attachment));
      Path other = results.resolve(key.ownFile());
      if (!target.equals(other)) {
        Files.deleteIfExists(other);
      }
    } catch (IOException e) {
      throw refuse(key, e);
    }
  }

  private CniException refuse(CacheKey key, IOException e) {
    return new CniException(
        ErrorCode.IO_FAILURE,
        "failed to set network %s cached result: cannot write in %s: %s"
            .formatted(Quoted.of(key.network().value()), results, IoReason.of(e)),
        e);
  }

  Found find(CacheKey key) {
    Found found = new Found.Nothing();
    for (Path file : files(key)) {
      Optional<CacheFile.Content> content = read(file);
      if (content.isPresent()) {
        switch (content.get()) {
          case CacheFile.Content.Entry(CachedAttachment attachment) -> {
            if (CacheKey.of(attachment.network(), attachment.container()).equals(key)) {
              return new Found.Attached(attachment);
            }
            warnings.accept(
                "cache file %s is about another attachment, %s: ignored"
                    .formatted(file, attachment));
          }
          case CacheFile.Content.Legacy(ObjectNode result) -> found = new Found.ResultOnly(result);
          case CacheFile.Content.Corrupt(CniException why) -> found = new Found.Unusable(why);
        }
      }
    }
    return found;
  }

  /** Removes the attachment; a failure is only worth a warning. */
  void remove(CacheKey key) {
    try {
      for (Path file : files(key)) {
        if (!isOfAnother(key, file)) {
          Files.deleteIfExists(file);
        }
      }
      own.remove(key.digest());
    } catch (IOException e) {
      warnings.accept(
          "cannot remove what is cached of %s: %s".formatted(key.libcniFile(), IoReason.of(e)));
    }
  }

  /**
   * All attachments, in the order of their files. Files without one are skipped.
   *
   * @throws CniException with code 5 when the directory cannot be listed
   */
  List<CachedAttachment> list() {
    return list(_ -> true);
  }

  List<CachedAttachment> list(ContainerId container) {
    return list(name -> CacheKey.mayBeOf(name, container)).stream()
        .filter(attachment -> attachment.container().id().equals(container))
        .toList();
  }

  private List<CachedAttachment> list(Predicate<String> wanted) {
    List<Path> files = new ArrayList<>();
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(results)) {
      for (Path entry : entries) {
        if (wanted.test(entry.getFileName().toString()) && Files.isRegularFile(entry)) {
          files.add(entry);
        }
      }
    } catch (NoSuchFileException e) {
      return List.of();
    } catch (IOException e) {
      throw new CniException(
          ErrorCode.IO_FAILURE,
          "cannot list the cached attachments in %s: %s".formatted(results, IoReason.of(e)),
          e);
    }
    files.sort(ConfReader.BY_BYTES);
    Map<CacheKey, CachedAttachment> found = new LinkedHashMap<>();
    for (Path file : files) {
      switch (read(file).orElse(null)) {
        case CacheFile.Content.Entry(CachedAttachment attachment) ->
            found.putIfAbsent(
                CacheKey.of(attachment.network(), attachment.container()), attachment);
        case CacheFile.Content.Corrupt(CniException why) ->
            warnings.accept("cache file %s is unusable: %s".formatted(file, why.getMessage()));
        case CacheFile.Content.Legacy _ -> {}
        case null -> {}
      }
    }
    return List.copyOf(found.values());
  }

  private List<Path> files(CacheKey key) {
    return Stream.concat(libcniFile(key).stream(), Stream.of(results.resolve(key.ownFile())))
        .toList();
  }

  /** Empty when the file system cannot have a file of that name. */
  private Optional<Path> libcniFile(CacheKey key) {
    try {
      return key.fitsLibcni() ? Optional.of(results.resolve(key.libcniFile())) : Optional.empty();
    } catch (InvalidPathException _) {
      // A JVM in the C locale only supports ASCII file names, though interfaces may have others.
      return Optional.empty();
    }
  }

  private boolean isOfAnother(CacheKey key, Path file) {
    return read(file).orElse(null) instanceof CacheFile.Content.Entry(CachedAttachment attachment)
        && !CacheKey.of(attachment.network(), attachment.container()).equals(key);
  }

  /** Empty when the file does not exist, or is empty as power failures leave it. */
  private Optional<CacheFile.Content> read(Path file) {
    try {
      if (!Files.isRegularFile(file)) {
        return Optional.empty();
      }
      long size = Files.size(file);
      if (size == 0) {
        warnings.accept("cache file %s is empty: ignored".formatted(file));
        return Optional.empty();
      }
      if (size > CniJson.MAX_BYTES) {
        warnings.accept("cache file %s has %d bytes: ignored".formatted(file, size));
        return Optional.empty();
      }
      return Optional.of(CacheFile.read(Files.readAllBytes(file)));
    } catch (NoSuchFileException _) {
      return Optional.empty();
    } catch (IOException e) {
      warnings.accept("cannot read cache file %s: %s".formatted(file, IoReason.of(e)));
      return Optional.empty();
    }
  }
}
