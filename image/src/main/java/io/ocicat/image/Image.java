package io.ocicat.image;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * An image in the store, complete and unpacked.
 *
 * @param id the digest of its configuration; as text, {@code sha256:…}, it is what CRI calls the
 *     image everywhere
 * @param repoTags complete names with tags, sorted; empty if it was pulled by digest only
 * @param repoDigests {@code name@digest} of the manifest or index as it was pulled, sorted; empty
 *     if it was loaded from docker's archive, which has none
 * @param size bytes of its layers as they were transferred, and of its configuration
 * @param created as the image says, in RFC 3339; empty if it does not
 * @param diffIds the digests of its uncompressed layers, the lowest first
 */
public record Image(
    Digest id,
    List<String> repoTags,
    List<String> repoDigests,
    long size,
    Platform platform,
    String created,
    ImageConfig config,
    List<Digest> diffIds) {
  public Image {
    repoTags = List.copyOf(repoTags);
    repoDigests = List.copyOf(repoDigests);
    diffIds = List.copyOf(diffIds);
  }

  /** The names of the image's layers in the store, the lowest first: see {@link #chainIds}. */
  public List<Digest> chainIds() {
    return chainIds(diffIds);
  }

  /**
   * Names every layer by what is below it as well: the first by its own digest, each other one by
   * the hash of the name below and its own digest (OCI image specification, config.md, layer
   * ChainID).
   */
  public static List<Digest> chainIds(List<Digest> diffIds) {
    List<Digest> chain = new ArrayList<>();
    for (Digest diffId : diffIds) {
      chain.add(
          chain.isEmpty()
              ? diffId
              : Digest.of((chain.getLast() + " " + diffId).getBytes(StandardCharsets.US_ASCII)));
    }
    return chain;
  }
}
