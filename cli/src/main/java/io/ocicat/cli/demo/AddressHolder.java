package io.ocicat.cli.demo;

import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.model.IpPool;
import io.ocicat.datastore.model.IpamBlock;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceQuery;
import io.ocicat.ipam.Ipam;
import io.ocicat.ipam.model.AddressInfo;
import io.ocicat.ipam.model.CalicoConventions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * An allocated address and its owner.
 *
 * @param owner the pod as namespace/name, or a container's id where IPAM knows no more
 * @param from the block or the directory it was allocated from
 * @param allocation how IPAM allocated it, step by step, from its records
 */
record AddressHolder(String address, String owner, String from, List<String> allocation) {
  private static final Path HOST_LOCAL = Path.of("/var/lib/cni/networks");

  AddressHolder {
    allocation = List.copyOf(allocation);
  }

  /** The addresses that calico-ipam has allocated. */
  static List<AddressHolder> ofBlocks(Datastore datastore) {
    List<AddressHolder> leases = new ArrayList<>();
    for (Resource resource : datastore.list(ResourceQuery.of(Kind.IPAM_BLOCK)).items()) {
      IpamBlock block = IpamBlock.of(resource);
      String pool = pool(datastore, block);
      Ipam.inUse(block).forEach(info -> leases.add(of(info, block, pool)));
    }
    return leases;
  }

  private static String pool(Datastore datastore, IpamBlock block) {
    return datastore.list(ResourceQuery.of(Kind.IP_POOL)).items().stream()
        .map(IpPool::of)
        .filter(pool -> pool.cidr().contains(block.cidr()))
        .map(pool -> "%s, %s, blocks of /%d".formatted(pool.name(), pool.cidr(), pool.blockSize()))
        .findFirst()
        .orElse("?");
  }

  private static AddressHolder of(AddressInfo info, IpamBlock block, String pool) {
    String affinity = block.affinity();
    List<String> allocation = new ArrayList<>();
    allocation.add("pool " + pool);
    allocation.add("block " + block.cidr());
    allocation.add(
        affinity == null
            ? "affinity none: no node has claimed the block"
            : "affinity %s, claimed for the node's first pod".formatted(affinity));
    allocation.add(
        "address %s, number %d of the block's %d"
            .formatted(
                info.address(),
                info.address().minus(block.cidr().first()).intValue() + 1,
                block.allocations().size()));
    allocation.add("handle %s, by which DEL finds the address".formatted(info.handle()));
    return new AddressHolder(
        info.address().toString(),
        info.owner().getOrDefault(CalicoConventions.NAMESPACE, "?")
            + "/"
            + info.owner().getOrDefault(CalicoConventions.POD, "?"),
        info.block().toString(),
        allocation);
  }

  /** The addresses that host-local has allocated on this node. */
  static List<AddressHolder> ofHostLocal() {
    List<AddressHolder> leases = new ArrayList<>();
    if (Files.notExists(HOST_LOCAL)) {
      return leases;
    }
    try (Stream<Path> files = Files.walk(HOST_LOCAL, 2)) {
      for (Path file : (Iterable<Path>) files::iterator) {
        String name = file.getFileName().toString();
        if (name.matches("[0-9]+(\\.[0-9]+){3}")) {
          String id = Files.readString(file).lines().findFirst().orElse("?");
          leases.add(
              new AddressHolder(name, id, String.valueOf(file.getParent()), ofFile(file, id)));
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot list " + HOST_LOCAL, e);
    }
    return leases;
  }

  private static List<String> ofFile(Path file, String id) {
    return List.of(
        "host-local ADD, called by bridge",
        "lock %s, held while it searches".formatted(file.resolveSibling("lock")),
        "address %s, the next free one after last_reserved_ip.0".formatted(file.getFileName()),
        "lease %s, a file that holds the container id %s".formatted(file, id));
  }
}
