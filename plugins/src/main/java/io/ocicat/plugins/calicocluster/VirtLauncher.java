package io.ocicat.plugins.calicocluster;

/** What KubeVirt calls the pods that run its virtual machines. */
public final class VirtLauncher {
  private static final String PREFIX = "virt-launcher-";

  private VirtLauncher() {}

  /** Whether a pod may be one of them: only then it is worth to ask what it belongs to. */
  public static boolean mayBe(String pod) {
    return pod.startsWith(PREFIX);
  }
}
