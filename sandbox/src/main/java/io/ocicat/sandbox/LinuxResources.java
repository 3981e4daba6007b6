package io.ocicat.sandbox;

import java.util.List;
import java.util.Map;

/**
 * The limits of a cgroup as CRI states them. Zero and empty mean that nothing was said.
 *
 * @param cpuQuota microseconds per period; -1 for no limit
 * @param oomScoreAdj of the first process
 * @param unified files of cgroup v2 and what to write to them
 */
public record LinuxResources(
    long cpuPeriod,
    long cpuQuota,
    long cpuShares,
    long memoryLimit,
    long oomScoreAdj,
    String cpusetCpus,
    String cpusetMems,
    List<HugepageLimit> hugepageLimits,
    Map<String, String> unified,
    long memorySwapLimit) {
  public static final LinuxResources NONE =
      new LinuxResources(0, 0, 0, 0, 0, "", "", List.of(), Map.of(), 0);

  /**
   * The limit for huge pages of one size.
   *
   * @param pageSize such as {@code 2MB}
   */
  public record HugepageLimit(String pageSize, long limit) {}

  public LinuxResources {
    hugepageLimits = List.copyOf(hugepageLimits);
    unified = Map.copyOf(unified);
  }

  public static LinuxResources cpu(long period, long quota, long shares) {
    return NONE.withCpu(period, quota, shares);
  }

  public LinuxResources withCpu(long period, long quota, long shares) {
    return new LinuxResources(
        period,
        quota,
        shares,
        memoryLimit,
        oomScoreAdj,
        cpusetCpus,
        cpusetMems,
        hugepageLimits,
        unified,
        memorySwapLimit);
  }

  public LinuxResources withMemory(long limit, long swapLimit) {
    return new LinuxResources(
        cpuPeriod,
        cpuQuota,
        cpuShares,
        limit,
        oomScoreAdj,
        cpusetCpus,
        cpusetMems,
        hugepageLimits,
        unified,
        swapLimit);
  }

  /** Returns these with whatever the other ones state in place of the same. */
  public LinuxResources updatedBy(LinuxResources other) {
    return new LinuxResources(
        either(other.cpuPeriod, cpuPeriod),
        either(other.cpuQuota, cpuQuota),
        either(other.cpuShares, cpuShares),
        either(other.memoryLimit, memoryLimit),
        either(other.oomScoreAdj, oomScoreAdj),
        other.cpusetCpus.isEmpty() ? cpusetCpus : other.cpusetCpus,
        other.cpusetMems.isEmpty() ? cpusetMems : other.cpusetMems,
        other.hugepageLimits.isEmpty() ? hugepageLimits : other.hugepageLimits,
        other.unified.isEmpty() ? unified : other.unified,
        either(other.memorySwapLimit, memorySwapLimit));
  }

  private static long either(long first, long second) {
    return first != 0 ? first : second;
  }
}
