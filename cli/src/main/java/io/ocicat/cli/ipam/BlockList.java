package io.ocicat.cli.ipam;

import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.error.CorruptException;
import io.ocicat.datastore.model.IpamBlock;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceQuery;
import io.ocicat.ipam.Ipam;
import io.ocicat.ipam.model.AddressInfo;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Lists the readable blocks of a datastore by their addresses. */
final class BlockList {
  private BlockList() {}

  static List<IpamBlock> of(Datastore datastore) {
    List<IpamBlock> blocks = new ArrayList<>();
    for (Resource resource : datastore.list(ResourceQuery.of(Kind.IPAM_BLOCK)).items()) {
      try {
        IpamBlock block = IpamBlock.of(resource);
        if (!block.deleted()) {
          blocks.add(block);
        }
      } catch (CorruptException _) {
        // `ocicat ipam check` reports it.
      }
    }
    blocks.sort(Comparator.comparing(IpamBlock::cidr));
    return blocks;
  }

  static List<AddressInfo> assigned(Datastore datastore) {
    return of(datastore).stream().flatMap(block -> Ipam.inUse(block).stream()).toList();
  }
}
