package io.ocicat.ipam.cluster;

import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.error.CorruptException;
import io.ocicat.datastore.error.NotFoundException;
import io.ocicat.datastore.model.IpamBlock;
import io.ocicat.datastore.model.IpamHandle;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.datastore.resource.ResourceQuery;
import io.ocicat.ip.IpPrefix;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Typed access to IPAM's records in the datastore. Records that are marked as deleted do not exist
 * here.
 */
public final class IpamRecords {
  private final Datastore datastore;

  /** A record as it was read, with its parsed value. */
  public record Stored<T>(Resource resource, T value) {}

  public IpamRecords(Datastore datastore) {
    this.datastore = datastore;
  }

  public Datastore datastore() {
    return datastore;
  }

  public Optional<Resource> find(ResourceKey key) {
    try {
      return Optional.of(datastore.get(key));
    } catch (NotFoundException _) {
      return Optional.empty();
    }
  }

  public Optional<Stored<IpamBlock>> block(IpPrefix cidr) {
    return find(new ResourceKey.Block(cidr)).flatMap(IpamRecords::toBlock);
  }

  public static Optional<Stored<IpamBlock>> toBlock(@Nullable Resource resource) {
    return resource == null
        ? Optional.empty()
        : Optional.of(new Stored<>(resource, IpamBlock.of(resource)))
            .filter(block -> !block.value().deleted());
  }

  public Optional<Stored<IpamHandle>> handle(String id) {
    return find(new ResourceKey.Handle(id)).flatMap(IpamRecords::toHandle);
  }

  public static Optional<Stored<IpamHandle>> toHandle(@Nullable Resource resource) {
    return resource == null
        ? Optional.empty()
        : Optional.of(new Stored<>(resource, IpamHandle.of(resource)))
            .filter(handle -> !handle.value().deleted());
  }

  /** Returns all readable blocks; {@code IpamCheck} reports the others. */
  public List<Stored<IpamBlock>> blocks(ResourceQuery query) {
    return readable(query, IpamRecords::toBlock);
  }

  public List<Stored<IpamHandle>> handles() {
    return readable(new ResourceQuery.Handles(), IpamRecords::toHandle);
  }

  private <T> List<Stored<T>> readable(
      ResourceQuery query, Function<Resource, Optional<Stored<T>>> reader) {
    List<Stored<T>> found = new ArrayList<>();
    for (Resource resource : datastore.list(query).items()) {
      try {
        reader.apply(resource).ifPresent(found::add);
      } catch (CorruptException _) {
        // One bad record must not stop all of IPAM; it is never written, so nothing is lost.
      }
    }
    return found;
  }
}
