package io.ocicat.plugins.calicocluster;

/** Recognises the pods in which KubeVirt runs its virtual machines. */
public final class VirtLauncher {
  private static final String PREFIX = "virt-launcher-";

  private VirtLauncher() {}

  /** Whether a pod may be one of them: only then is it worth asking for its owner. */
  public static boolean mayBe(String pod) {
    return pod.startsWith(PREFIX);
  }
}
