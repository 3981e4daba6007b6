package io.ocicat.sandbox.container;

/**
 * What a container used up. A value that the kernel does not offer is {@link #UNKNOWN}.
 *
 * @param timestamp nanoseconds since 1970, of all values
 * @param availableBytes unknown without a limit
 * @param layerBytes what it wrote to its file system
 */
public record ContainerUsage(
    ContainerStatus container,
    long timestamp,
    long cpuNanos,
    long memoryUsage,
    long workingSet,
    long availableBytes,
    long rss,
    long pageFaults,
    long majorPageFaults,
    long swapUsage,
    long swapAvailable,
    long layerBytes,
    long layerInodes) {
  public static final long UNKNOWN = -1;
}
