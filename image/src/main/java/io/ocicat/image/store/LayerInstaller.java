package io.ocicat.image.store;

import io.ocicat.image.Digest;
import io.ocicat.image.Image;
import io.ocicat.image.ImageException;
import io.ocicat.image.ImageException.Reason;
import io.ocicat.image.archive.ArchiveException;
import io.ocicat.image.archive.Decompression;
import io.ocicat.image.store.Layers.Draft;
import io.ocicat.image.unpack.LayerUnpacker;
import io.ocicat.netlink.linux.NetlinkException;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Unpacks the layers of one image, the lowest first, and makes them visible together. Layers that
 * are there are not touched. Closing it removes what was not committed. Not thread-safe.
 */
final class LayerInstaller implements AutoCloseable {
  private final Layers layers;
  private final StoreSettings settings;
  private final List<Digest> diffIds;
  private final List<Digest> chainIds;
  private final Map<Digest, Draft> drafts = new HashMap<>();

  /** Where a layer comes from. */
  interface Source {
    InputStream open() throws IOException;
  }

  LayerInstaller(Layers layers, StoreSettings settings, List<Digest> diffIds) {
    this.layers = layers;
    this.settings = settings;
    this.diffIds = diffIds;
    this.chainIds = Image.chainIds(diffIds);
  }

  boolean has(int index) {
    Digest chainId = chainIds.get(index);
    return drafts.containsKey(chainId) || layers.has(chainId);
  }

  /**
   * Unpacks a layer; all below it are there.
   *
   * @param source compressed or not; what it expands to must have the digest that the image's
   *     configuration says
   */
  void unpack(int index, Source source, String what) {
    if (has(index)) {
      return;
    }
    Digest diffId = diffIds.get(index);
    Draft draft = layers.draft(chainIds.get(index));
    boolean done = false;
    MessageDigest hash = Digest.hash();
    try (InputStream in = Decompression.open(source.open());
        InputStream hashed = new HashedStream(in, hash)) {
      LayerUnpacker.unpack(
          hashed, draft.diff(), below(index), settings.limits(), settings.devices());
      // The archive may end before the stream does; the digest is over all of it.
      hashed.transferTo(OutputStream.nullOutputStream());
      Digest found = Digest.finish(hash.digest());
      if (!found.equals(diffId)) {
        throw new ArchiveException(
            "it expands to %s, but the image's configuration says %s".formatted(found, diffId));
      }
      layers.describe(draft);
      done = true;
    } catch (InterruptedIOException | ClosedByInterruptException e) {
      throw new ImageException(Reason.CANCELLED, what + ": interrupted", e);
    } catch (ArchiveException e) {
      throw new ImageException(Reason.REFUSED, "%s: %s".formatted(what, e.getMessage()), e);
    } catch (IOException | NetlinkException e) {
      throw new ImageException(
          ImageException.isFull(e) ? Reason.NO_SPACE : Reason.FAILED,
          "%s: %s".formatted(what, e.getMessage()),
          e);
    } finally {
      if (done) {
        drafts.put(draft.chainId(), draft);
      } else {
        draft.discard();
      }
    }
  }

  private List<Path> below(int index) {
    List<Path> below = new ArrayList<>();
    for (Digest chainId : chainIds.subList(0, index).reversed()) {
      Draft draft = drafts.get(chainId);
      below.add(draft != null ? draft.diff() : layers.diff(chainId));
    }
    return below;
  }

  /** Writes everything to disk and makes it visible. */
  void commit() {
    layers.commit(
        chainIds.stream().filter(drafts::containsKey).map(drafts::get).distinct().toList());
    drafts.clear();
  }

  @Override
  public void close() {
    drafts.values().forEach(Draft::discard);
  }

  /** {@link DigestInputStream} does not hash what is skipped. */
  private static final class HashedStream extends DigestInputStream {
    HashedStream(InputStream in, MessageDigest hash) {
      super(in, hash);
    }

    @Override
    public long skip(long bytes) throws IOException {
      byte[] skipped = new byte[Math.clamp(bytes, 0, 64 << 10)];
      return Math.max(0, read(skipped, 0, skipped.length));
    }
  }
}
