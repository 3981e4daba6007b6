package io.ocicat.sandbox.cgroup;

import io.ocicat.base.Quoted;
import io.ocicat.sandbox.SandboxException;
import io.ocicat.sandbox.SandboxException.Reason;

/**
 * Where the processes of a container or an infra process are.
 *
 * @param forRuntime what a runtime specification says: a path, or {@code slice:prefix:name} for
 *     systemd
 * @param group the path below the hierarchies' root
 */
public record CgroupPath(String forRuntime, String group) {
  private static final String SLICE = ".slice";
  private static final String PREFIX = "ocicat";
  private static final String OUR_SLICE = "ocicat.slice";
  private static final String OUR_GROUP = "/ocicat";

  /**
   * Decides by the parent that kubelet stated. Its form shows which driver kubelet uses: with the
   * other one, kubelet and runtime would count in different groups and restart all pods.
   *
   * @param parent empty for ours
   */
  public static CgroupPath of(String parent, String id, boolean systemd) {
    if (!parent.isEmpty() && parent.endsWith(SLICE) != systemd) {
      throw new SandboxException(
          Reason.INVALID,
          "cgroup parent %s is for the %s driver, but this runtime uses %s: configure the same cgroupDriver for kubelet"
              .formatted(
                  Quoted.brief(parent),
                  systemd ? "cgroupfs" : "systemd",
                  systemd ? "systemd" : "cgroupfs"));
    }
    if (("/" + parent + "/").contains("/../") || parent.indexOf('\0') >= 0) {
      throw new SandboxException(
          Reason.INVALID, "cgroup parent %s is not a path".formatted(Quoted.brief(parent)));
    }
    if (systemd) {
      String slice = parent.isEmpty() ? OUR_SLICE : parent.substring(parent.lastIndexOf('/') + 1);
      return new CgroupPath(
          slice + ":" + PREFIX + ":" + id, expand(slice) + "/" + PREFIX + "-" + id + ".scope");
    }
    String base = parent.isEmpty() ? OUR_GROUP : parent.startsWith("/") ? parent : "/" + parent;
    String path = base + (base.endsWith("/") ? "" : "/") + id;
    return new CgroupPath(path, path);
  }

  /** systemd nests slices by the dashes in their names. */
  private static String expand(String slice) {
    String name = slice.substring(0, slice.length() - SLICE.length());
    StringBuilder path = new StringBuilder();
    for (int dash = name.indexOf('-'); dash > 0; dash = name.indexOf('-', dash + 1)) {
      path.append('/').append(name, 0, dash).append(SLICE);
    }
    return path.append('/').append(slice).toString();
  }
}
