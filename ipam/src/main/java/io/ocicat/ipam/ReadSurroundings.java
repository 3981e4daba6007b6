package io.ocicat.ipam;

import io.ocicat.datastore.Kind;
import io.ocicat.datastore.Query;
import io.ocicat.datastore.Resource;
import io.ocicat.datastore.ResourceKey;
import io.ocicat.datastore.model.IpReservation;
import io.ocicat.datastore.model.IpamConfig;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads everything each time it is asked for: for a process that lives for one call. */
final class ReadSurroundings implements Surroundings {
  private final Records records;
  private volatile @Nullable Duration cooldown;

  ReadSurroundings(Records records) {
    this.records = records;
  }

  @Override
  public Pools pools() {
    return Pools.of(records.datastore().list(Query.of(Kind.IP_POOL)).items());
  }

  @Override
  public Reservations reservations() {
    return toReservations(records.datastore().list(Query.of(Kind.IP_RESERVATION)).items());
  }

  static Reservations toReservations(Collection<Resource> resources) {
    return resources.isEmpty()
        ? Reservations.NONE
        : new Reservations(resources.stream().map(IpReservation::of).toList());
  }

  @Override
  public Known<Map<String, String>> labels(String node) {
    return records
        .find(ResourceKey.of(Kind.NODE, node))
        .map(ReadSurroundings::labels)
        .orElseThrow(() -> noSuchNode(node));
  }

  static Known<Map<String, String>> labels(Resource node) {
    return new Known<>(node.labels(), node.key(), node.revision());
  }

  /** Read in the same call. */
  @Override
  public boolean areCurrent(Known<Map<String, String>> labels) {
    return true;
  }

  static IpamException noSuchNode(String node) {
    return new IpamException(
        IpamException.Reason.NO_SUCH_NODE,
        "node %s does not exist in the datastore, so no pool can be chosen for it: create the Node, or correct the node's name"
            .formatted(node));
  }

  @Override
  public Known<IpamConfig> config() {
    ResourceKey key = new ResourceKey.IpamConfig();
    Known<IpamConfig> read =
        records
            .find(key)
            .map(resource -> new Known<>(IpamConfig.of(resource), key, resource.revision()))
            .orElseGet(() -> new Known<>(IpamConfig.DEFAULT, key, ""));
    cooldown = read.value().cooldown();
    return read;
  }

  /** Read once for the call. */
  @Override
  public Duration cooldown() {
    Duration known = cooldown;
    return known == null ? config().value().cooldown() : known;
  }

  @Override
  public void doubt() {
    cooldown = null;
  }

  @Override
  public void close() {}
}
