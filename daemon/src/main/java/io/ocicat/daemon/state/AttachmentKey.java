package io.ocicat.daemon.state;

import io.ocicat.cni.CniException;
import io.ocicat.cni.ContainerId;
import io.ocicat.cni.InterfaceName;
import io.ocicat.cni.exec.CniEnvironment;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;

/** Identifies the attachment that a call is for: its plugins work on it one after the other. */
public record AttachmentKey(String containerId, String ifName) {
  private static final int HALF = 8;

  /** Empty when the call names none, or an invalid one. */
  public static Optional<AttachmentKey> of(Map<String, String> environment) {
    String id = environment.getOrDefault(CniEnvironment.CONTAINER_ID, "");
    String ifName = environment.getOrDefault(CniEnvironment.IFNAME, "");
    try {
      new ContainerId(id);
      new InterfaceName(ifName);
    } catch (CniException _) {
      return Optional.empty();
    }
    return Optional.of(new AttachmentKey(id, ifName));
  }

  /** A lock number of its own, as far as 62 bits are unique. */
  long lockNumber() {
    return ByteBuffer.wrap(digest("")).getLong() & (Long.MAX_VALUE >> 1);
  }

  /** Names a plugin's record of it in one network, as a valid file name. */
  String fileName(String plugin, String network) {
    return filePrefix() + HexFormat.of().formatHex(sha256(plugin + "\n" + network), 0, HALF);
  }

  /** What the names of all its files begin with. */
  String filePrefix() {
    return HexFormat.of().formatHex(digest(""), 0, HALF);
  }

  /** The name in versions whose records did not distinguish networks. */
  String oldFileName(String plugin) {
    return HexFormat.of().formatHex(digest(plugin), 0, 2 * HALF);
  }

  private byte[] digest(String plugin) {
    // None of them can contain a line break.
    return sha256(containerId + "\n" + ifName + "\n" + plugin);
  }

  private static byte[] sha256(String text) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public String toString() {
    return containerId + "/" + ifName;
  }
}
