package io.ocicat.ipam;

import io.ocicat.datastore.IpVersion;

/** A {@link BlockFinder} for each family, with what is known of its blocks. */
final class BlockFinders {
  private final BlockFinder v4;
  private final BlockFinder v6;

  BlockFinders(Records records, Blocks blocks, Affinities affinities, Sources sources) {
    this.v4 = finder(records, blocks, affinities, IpVersion.V4, sources);
    this.v6 = finder(records, blocks, affinities, IpVersion.V6, sources);
  }

  private static BlockFinder finder(
      Records records, Blocks blocks, Affinities affinities, IpVersion version, Sources sources) {
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
