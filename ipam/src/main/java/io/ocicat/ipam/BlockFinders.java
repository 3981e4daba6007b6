package io.ocicat.ipam;

import io.ocicat.datastore.resource.IpVersion;

/** A {@link BlockFinder} for each family, with what is known of its blocks. */
final class BlockFinders {
  private final BlockFinder v4;
  private final BlockFinder v6;

  BlockFinders(IpamRecords records, Blocks blocks, Affinities affinities, ClockAndRandom sources) {
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

  BlockFinder of(IpVersion version) {
    return version == IpVersion.V4 ? v4 : v6;
  }
}
