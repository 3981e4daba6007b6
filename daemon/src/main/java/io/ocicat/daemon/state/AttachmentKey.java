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

/** The attachment that a call is about: whatever plugins work on it do so one after the other. */
public record AttachmentKey(String containerId, String ifName) {
  private static final int HALF = 8;

  /** Empty when the call names none, or names it wrongly. */
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

  /** A lock of its own, as far as 62 bits can tell. */
  long lockNumber() {
    return ByteBuffer.wrap(digest("")).getLong() & (Long.MAX_VALUE >> 1);
  }

  /**
   * Names what one plugin knows of it as a part of one network, in a form that any file name may
   * have.
   */
  String fileName(String plugin, String network) {
    return filePrefix() + HexFormat.of().formatHex(sha256(plugin + "\n" + network), 0, HALF);
  }

  /** What the names of all its files begin with. */
  String filePrefix() {
    return HexFormat.of().formatHex(digest(""), 0, HALF);
  }

  /** As versions named it whose records were not told apart by network. */
  String formerFileName(String plugin) {
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
