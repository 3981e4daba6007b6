package io.ocicat.cni.runtime;

import io.ocicat.base.Quoted;
import io.ocicat.cni.CniException;
import io.ocicat.cni.ContainerId;
import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.InterfaceName;
import io.ocicat.cni.NetworkName;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/**
 * The attachment of a cache entry, and the names its file may have. Each part has been checked, so
 * none can lead outside the directory.
 *
 * <p>libcni joins the three parts with dashes, which all of them may contain: {@code a-b} and
 * {@code c} have the same file as {@code a} and {@code b-c}. Their length is not limited, but the
 * file system's is. Where libcni's name is too long or used by another attachment, the file has a
 * name of ours, which never equals three joined parts: a readable beginning, and the digest of all
 * parts for uniqueness.
 */
record CacheKey(NetworkName network, ContainerId container, InterfaceName ifName) {
  private static final int MAX_FILE_NAME = 255;
  private static final int BEGINNING = 160;

  static CacheKey of(NetworkName network, Container container) {
    return new CacheKey(network, container.id(), container.ifName());
  }

  /**
   * From unchecked parts, with libcni's message when one is missing.
   *
   * @throws CniException when one is empty or may not be part of a path
   */
  static CacheKey of(String network, String container, String ifName) {
    if (network.isEmpty() || container.isEmpty() || ifName.isEmpty()) {
      throw new CniException(
          ErrorCode.INVALID_ENVIRONMENT,
          "cache file path requires network name (%s), container ID (%s), and interface name (%s)"
              .formatted(Quoted.of(network), Quoted.of(container), Quoted.of(ifName)));
    }
    return new CacheKey(
        new NetworkName(network), new ContainerId(container), new InterfaceName(ifName));
  }

  private String joined() {
    return network + "-" + container + "-" + ifName;
  }

  boolean fitsLibcni() {
    return joined().getBytes(StandardCharsets.UTF_8).length <= MAX_FILE_NAME;
  }

  /** The name that libcni uses. */
  String libcniFile() {
    return joined();
  }

  /** The name when libcni's cannot be used. */
  String ownFile() {
    String joined = joined();
    String beginning = joined.substring(0, Math.min(BEGINNING, joined.length()));
    return beginning.replaceAll("[^a-zA-Z0-9_.-]", "_") + "~" + digest();
  }

  /** A number unique to the attachment. */
  String digest() {
    byte[] sha = Sha256.of(network + "\0" + container + "\0" + ifName);
    return HexFormat.of().formatHex(sha, 0, 16);
  }

  /** Whether a file of this name may belong to the container; its content decides. */
  static boolean mayBeOf(String fileName, ContainerId container) {
    int at = fileName.indexOf("-" + container + "-");
    return at > 0 || fileName.indexOf('~') >= 0;
  }
}
