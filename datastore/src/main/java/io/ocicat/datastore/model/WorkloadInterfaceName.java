package io.ocicat.datastore.model;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * What Calico calls the end of a workload's veth pair on its host. Felix computes that of a pod,
 * too, so it is the same whoever attaches the pod, and whenever.
 */
public final class WorkloadInterfaceName {
  /** What Felix expects of the interfaces of workloads, unless it is configured otherwise. */
  public static final String PREFIX = "cali";

  /** How much of a hash, or of a container's id, follows it. */
  public static final int SUFFIX = 11;

  private WorkloadInterfaceName() {}

  public static String ofPod(String prefix, String namespace, String pod) {
    return hashed(prefix, namespace + "." + pod);
  }

  /** A name made of any text. */
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
