package io.ocicat.cni;

/**
 * The keys of {@code capabilities} and {@code runtimeConfig} that runtimes and plugins agree on.
 */
public final class Capability {
  public static final String PORT_MAPPINGS = "portMappings";
  public static final String IP_RANGES = "ipRanges";
  public static final String BANDWIDTH = "bandwidth";
  public static final String DNS = "dns";
  public static final String IPS = "ips";
  public static final String MAC = "mac";
  public static final String INFINIBAND_GUID = "infinibandGUID";
  public static final String DEVICE_ID = "deviceID";
  public static final String ALIASES = "aliases";
  public static final String CGROUP_PATH = "cgroupPath";
  public static final String POD_ANNOTATIONS = "io.kubernetes.cri.pod-annotations";

  private Capability() {}
}
