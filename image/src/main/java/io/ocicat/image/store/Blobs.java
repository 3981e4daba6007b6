package io.ocicat.image.store;

import io.ocicat.base.file.WholeFile;
import io.ocicat.image.Digest;
import io.ocicat.image.ImageException;
import io.ocicat.image.ImageException.Reason;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;

/** Content by its digest. What has a name here is complete and was verified when it was written. */
final class Blobs {
  private final StoreFiles files;

  Blobs(StoreFiles files) {
    this.files = files;
  }

  Path path(Digest digest) {
    return files.blobs().resolve(digest.hex());
  }

  boolean has(Digest digest) {
    return Files.isRegularFile(path(digest));
  }

  /** The content of a small blob, verified again. */
  Optional<byte[]> read(Digest digest) {
    return StoreFiles.read(path(digest)).filter(bytes -> Digest.of(bytes).equals(digest));
  }

  byte[] required(Digest digest, String what) {
    return read(digest)
        .orElseThrow(
            () ->
                new ImageException(
                    Reason.FAILED,
                    "%s %s is missing or damaged in %s: pull the image again"
                        .formatted(what, digest, files.blobs())));
  }

  Digest write(byte[] bytes) {
    Digest digest = Digest.of(bytes);
    if (read(digest).isEmpty()) {
      // Others may be writing the same: each has a draft of its own.
      String draft = "%s-%08x".formatted(digest.hex(), ThreadLocalRandom.current().nextInt());
      files.pass("document received");
      try {
        WholeFile.at(path(digest)).draft(files.partial().resolve(draft)).durable().write(bytes);
      } catch (IOException e) {
        throw StoreFiles.failed("write", path(digest), e);
      }
      StoreFiles.syncFolder(files.blobs());
      files.pass("document written");
    }
    return digest;
  }

  /** Where a blob is written until it is complete. */
  Path draft(Digest digest) {
    return files.partial().resolve(digest.hex());
  }

  /** Makes a draft visible, whose content the caller has verified. */
  void commit(Digest digest) {
    Path draft = draft(digest);
    files.pass("blob written");
    try (FileChannel channel = FileChannel.open(draft, StandardOpenOption.WRITE)) {
      channel.force(true);
    } catch (IOException e) {
      throw StoreFiles.failed("sync", draft, e);
    }
    try {
      Files.move(draft, path(digest), StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw StoreFiles.failed("rename", draft, e);
    }
    StoreFiles.syncFolder(files.blobs());
    files.pass("blob renamed");
  }

  List<Digest> list() {
    return StoreFiles.names(files.blobs()).stream().filter(Digest::isHex).map(Digest::new).toList();
  }

  long bytes() {
    return list().stream().mapToLong(digest -> StoreFiles.size(path(digest))).sum();
  }

  /** Returns the bytes that were freed. */
  long remove(Digest digest) {
    long size = StoreFiles.size(path(digest));
    StoreFiles.remove(path(digest));
    files.pass("blob removed");
    return size;
  }
}
