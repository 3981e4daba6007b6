package io.ocicat.ipam.block;

import io.ocicat.datastore.resource.IpVersion;
import io.ocicat.ipam.cluster.IpamRecords;
import io.ocicat.ipam.model.ClockAndRandom;

/** One {@link BlockFinder} per address family, with its block index. */
public final class BlockFinders {
  private final BlockFinder v4;
  private final BlockFinder v6;

  public BlockFinders(
      IpamRecords records, Blocks blocks, Affinities affinities, ClockAndRandom sources) {
    this.v4 = finder(records, blocks, affinities, IpVersion.V4, sources);
    this.v6 = finder(records, blocks, affinities, IpVersion.V6, sources);
  }

  private static BlockFinder finder(
      IpamRecords records,
      Blocks blocks,
      Affinities affinities,
      IpVersion version,
      ClockAndRandom sources) {
    return new BlockFinder(
        affinities,
        blocks,
        new BlockIndex(records, blocks.cooldown(), version, sources.nanoTime()),
        sources);
  }

  public BlockFinder of(IpVersion version) {
    return version == IpVersion.V4 ? v4 : v6;
  }
}
