package io.ocicat.ipam.check;

import io.ocicat.datastore.error.CorruptException;
import io.ocicat.datastore.model.BlockAffinity;
import io.ocicat.datastore.model.IpamBlock;
import io.ocicat.datastore.model.IpamHandle;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.datastore.resource.ResourcePage;
import io.ocicat.datastore.resource.ResourceQuery;
import io.ocicat.ip.IpPrefix;
import io.ocicat.ipam.block.AddressLookup;
import io.ocicat.ipam.block.BlockEdit;
import io.ocicat.ipam.cluster.IpamRecords;
import io.ocicat.ipam.cluster.PoolList;
import io.ocicat.ipam.model.AddressInfo;
import io.ocicat.ipam.model.BlockOwner;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/** All IPAM records that can be read, and the pools. */
public record IpamInventory(
    PoolList pools,
    Map<IpPrefix, IpamBlock> blocks,
    Map<String, IpamHandle> handles,
    List<BlockAffinity> affinities,
    List<IpamFinding> unreadable) {

  public static IpamInventory read(IpamRecords records, PoolList pools) {
    IpamInventory inventory =
        new IpamInventory(
            pools, new TreeMap<>(), new TreeMap<>(), new ArrayList<>(), new ArrayList<>());
    // Handles last: a process that counts first and then allocates is then seen to have counted.
    inventory.list(records, Kind.BLOCK_AFFINITY, inventory::addAffinity);
    inventory.list(records, Kind.IPAM_BLOCK, inventory::addBlock);
    inventory.list(records, Kind.IPAM_HANDLE, inventory::addHandle);
    return inventory;
  }

  private void list(IpamRecords records, Kind kind, Consumer<Resource> reader) {
    ResourcePage page = records.datastore().list(ResourceQuery.of(kind));
    page.unreadable().forEach(it -> unreadable.add(unreadable(kind.text(), it.problem())));
    for (Resource resource : page.items()) {
      try {
        reader.accept(resource);
      } catch (CorruptException e) {
        unreadable.add(unreadable(resource.describe(), String.valueOf(e.getMessage())));
      }
    }
  }

  private static IpamFinding unreadable(String subject, String why) {
    return new IpamFinding(
        IpamFinding.Type.UNREADABLE, subject, why, false, null, null, null, null, null);
  }

  private void addAffinity(Resource resource) {
    BlockAffinity affinity = BlockAffinity.of(resource);
    if (!affinity.deleted()) {
      affinities.add(affinity);
    }
  }

  private void addBlock(Resource resource) {
    IpamRecords.toBlock(resource)
        .ifPresent(
            block -> {
              // Throws when the block contradicts itself.
              BlockEdit usable = new BlockEdit(block.value());
              blocks.put(usable.cidr(), block.value());
            });
  }

  private void addHandle(Resource resource) {
    IpamRecords.toHandle(resource)
        .ifPresent(handle -> handles.put(handle.value().id(), handle.value()));
  }

  public List<AddressInfo> assigned() {
    return blocks.values().stream().flatMap(block -> AddressLookup.inUse(block).stream()).toList();
  }

  public static BlockOwner ownerOf(ResourceKey.Affinity key) {
    return new BlockOwner(key.type(), key.host());
  }
}
