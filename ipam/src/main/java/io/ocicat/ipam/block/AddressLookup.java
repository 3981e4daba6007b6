package io.ocicat.ipam.block;

import io.ocicat.datastore.model.IpamBlock;
import io.ocicat.datastore.model.IpamHandle;
import io.ocicat.datastore.resource.IpVersion;
import io.ocicat.datastore.resource.ResourceQuery;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import io.ocicat.ipam.cluster.ClusterView;
import io.ocicat.ipam.cluster.IpamRecords;
import io.ocicat.ipam.cluster.PoolList;
import io.ocicat.ipam.model.AddressInfo;
import io.ocicat.ipam.model.BlockOwner;
import io.ocicat.ipam.model.CalicoConventions;
import io.ocicat.ipam.model.IpamException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

/** Looks up who has which address, in the blocks, which are authoritative. */
public final class AddressLookup {
  private final IpamRecords records;
  private final ClusterView view;

  public AddressLookup(IpamRecords records, ClusterView view) {
    this.records = records;
    this.view = view;
  }

  public IpamHandle handle(String id) {
    return records
        .handle(CalicoConventions.sanitize(id))
        .map(IpamRecords.Stored::value)
        .orElseThrow(() -> noSuchHandle(id));
  }

  public static IpamException noSuchHandle(String id) {
    return new IpamException(
        IpamException.Reason.NO_SUCH_HANDLE, "there is no handle %s".formatted(id));
  }

  /** Returns the addresses that blocks record for a handle. */
  public List<IpAddress> byHandle(IpamHandle handle) {
    List<IpAddress> addresses = new ArrayList<>();
    for (IpPrefix cidr : handle.counts().keySet()) {
      records
          .block(cidr)
          .map(block -> new BlockEdit(block.value()))
          .ifPresent(
              block -> block.ordinalsOf(handle.id()).forEach(o -> addresses.add(block.address(o))));
    }
    return addresses;
  }

  /** Returns every assigned address of a block. */
  public static List<AddressInfo> inUse(IpamBlock block) {
    BlockEdit view = new BlockEdit(block);
    return IntStream.range(0, block.allocations().size())
        .mapToObj(o -> info(view, o))
        .flatMap(Optional::stream)
        .toList();
  }

  private static Optional<AddressInfo> info(BlockEdit block, int ordinal) {
    IpamBlock.Attributes owner = block.attributes(ordinal);
    if (owner == null || owner.isCoolingDown()) {
      return Optional.empty();
    }
    return Optional.of(
        new AddressInfo(
            block.address(ordinal),
            block.cidr(),
            BlockOwner.parse(block.affinity()).orElse(null),
            owner.handle() == null ? null : CalicoConventions.sanitize(owner.handle()),
            owner.owner(),
            owner.alternate(),
            block.allocatedAt(ordinal)));
  }

  /** Returns who has an address, whether or not its pool still exists. */
  public AddressInfo info(IpAddress address) {
    IpPrefix cidr =
        blocksOf(view.pools(), List.of(address)).values().stream()
            .flatMap(Optional::stream)
            .findFirst()
            .orElseThrow(() -> notAssigned(address, "it is in no pool and in no block"));
    BlockEdit block =
        records
            .block(cidr)
            .map(stored -> new BlockEdit(stored.value()))
            .orElseThrow(() -> notAssigned(address, "block " + cidr + " does not exist"));
    int ordinal = BlockEdit.ordinal(cidr, address);
    return info(block, ordinal).orElseThrow(() -> notAssigned(block, ordinal));
  }

  private static IpamException notAssigned(BlockEdit block, int ordinal) {
    IpamBlock.Attributes released = block.attributes(ordinal);
    return notAssigned(
        block.address(ordinal),
        released == null
            ? "it is free in block " + block.cidr()
            : "it was released at %s and is in cooldown".formatted(released.releasedAt()));
  }

  private static IpamException notAssigned(IpAddress address, String why) {
    return new IpamException(
        IpamException.Reason.NOT_ASSIGNED,
        "address %s is not assigned: %s".formatted(address, why));
  }

  /** Maps addresses to their blocks, listing blocks at most once per family. */
  public Map<IpAddress, Optional<IpPrefix>> blocksOf(PoolList pools, List<IpAddress> addresses) {
    Map<IpAddress, Optional<IpPrefix>> found = new LinkedHashMap<>();
    Map<IpVersion, List<IpPrefix>> listed = new EnumMap<>(IpVersion.class);
    for (IpAddress address : addresses) {
      Optional<IpPrefix> block = pools.blockOf(address);
      if (block.isEmpty()) {
        block =
            listed
                .computeIfAbsent(
                    address.isV4() ? IpVersion.V4 : IpVersion.V6,
                    version ->
                        records.blocks(new ResourceQuery.Blocks(version)).stream()
                            .map(stored -> stored.value().cidr())
                            .toList())
                .stream()
                .filter(cidr -> cidr.contains(address))
                .findFirst();
      }
      found.put(address, block);
    }
    return found;
  }
}
