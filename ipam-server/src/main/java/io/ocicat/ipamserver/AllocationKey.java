package io.ocicat.ipamserver;

import io.ocicat.cni.CniException;
import io.ocicat.cni.ContainerId;
import io.ocicat.cni.InterfaceName;
import io.ocicat.cni.NetworkName;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** The attachment an allocation is for; each has at most one at any time. */
record AllocationKey(String network, String containerId, String ifName) {
  /** Longer names are not valid anyway: runtimes use them as file names. */
  static final int MAX_NAME = 253;

  AllocationKey {
    try {
      new NetworkName(network);
      new ContainerId(containerId);
      new InterfaceName(ifName);
    } catch (CniException e) {
      throw ApiError.badRequest(String.valueOf(e.getMessage()));
    }
    if (network.length() > MAX_NAME || containerId.length() > MAX_NAME) {
      throw ApiError.badRequest(
          "network and containerId must not have more than %d characters".formatted(MAX_NAME));
    }
  }

  /** The Idempotency-Key of its allocation. */
  String digest() {
    String text = String.join("\0", network, containerId, ifName);
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(digest);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }

  /** Such as {@code eth0 of container 4f1c in network blue}. */
  @Override
  public String toString() {
    return "%s of container %s in network %s".formatted(ifName, containerId, network);
  }
}
