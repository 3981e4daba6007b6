package io.ocicat.cli.demo;

import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.Kind;
import io.ocicat.datastore.Query;
import io.ocicat.datastore.Resource;
import io.ocicat.datastore.model.IpamBlock;
import io.ocicat.ipam.AddressInfo;
import io.ocicat.ipam.Conventions;
import io.ocicat.ipam.Ipam;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * An address that somebody has.
 *
 * @param owner the pod as namespace/name, or a container's id where IPAM knows no more
 * @param from the block or the directory it was taken from
 */
record Lease(String address, String owner, String from) {
  private static final Path HOST_LOCAL = Path.of("/var/lib/cni/networks");

  /** What calico-ipam has given. */
  static List<Lease> ofBlocks(Datastore datastore) {
    List<Lease> leases = new ArrayList<>();
    for (Resource resource : datastore.list(Query.of(Kind.IPAM_BLOCK)).items()) {
      IpamBlock block = IpamBlock.of(resource);
      Ipam.inUse(block).forEach(info -> leases.add(of(info)));
    }
    return leases;
  }

  private static Lease of(AddressInfo info) {
    return new Lease(
        info.address().toString(),
        info.owner().getOrDefault(Conventions.NAMESPACE, "?")
            + "/"
            + info.owner().getOrDefault(Conventions.POD, "?"),
        info.block().toString());
  }

  /** What host-local has given on this node. */
  static List<Lease> ofHostLocal() {
    List<Lease> leases = new ArrayList<>();
    if (Files.notExists(HOST_LOCAL)) {
      return leases;
    }
    try (Stream<Path> files = Files.walk(HOST_LOCAL, 2)) {
      for (Path file : (Iterable<Path>) files::iterator) {
        String name = file.getFileName().toString();
        if (name.matches("[0-9]+(\\.[0-9]+){3}")) {
          String id = Files.readString(file).lines().findFirst().orElse("?");
          leases.add(new Lease(name, id, String.valueOf(file.getParent())));
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot list " + HOST_LOCAL, e);
    }
    return leases;
  }
}
