package io.ocicat.datastore.model;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * Derives the name of the host end of a workload's veth pair, as Calico does. Felix computes the
 * name of a pod's interface too, so it does not depend on who attaches the pod, or when.
 */
public final class WorkloadInterfaceName {
  /** The prefix of workload interfaces that Felix expects, unless it is configured otherwise. */
  public static final String PREFIX = "cali";

  /** The number of characters of a hash, or of a container's id, that follow it. */
  public static final int SUFFIX = 11;

  private WorkloadInterfaceName() {}

  public static String ofPod(String prefix, String namespace, String pod) {
    return hashed(prefix, namespace + "." + pod);
  }

  /** Derives a name from any text. */
  public static String hashed(String prefix, String text) {
    try {
      byte[] hash =
          MessageDigest.getInstance("SHA-1").digest(text.getBytes(StandardCharsets.UTF_8));
      return prefix + HexFormat.of().formatHex(hash).substring(0, SUFFIX);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("this Java has no SHA-1", e);
    }
  }
}
