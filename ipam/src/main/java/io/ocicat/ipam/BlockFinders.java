package io.ocicat.ipam;

import io.ocicat.datastore.IpVersion;

/** A {@link BlockFinder} for each family, with what is known of its blocks. */
final class BlockFinders {
  private final BlockFinder v4;
  private final BlockFinder v6;

  BlockFinders(Records records, Affinities affinities, Sources sources) {
    this.v4 =
        new BlockFinder(
            affinities, new BlockIndex(records, IpVersion.V4, sources.nanoTime()), sources);
    this.v6 =
        new BlockFinder(
            affinities, new BlockIndex(records, IpVersion.V6, sources.nanoTime()), sources);
  }

  BlockFinder of(IpVersion version) {
    return version == IpVersion.V4 ? v4 : v6;
  }
}
