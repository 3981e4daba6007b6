package io.ocicat.ipam.cluster;

import io.ocicat.datastore.model.IpReservation;
import io.ocicat.datastore.model.IpamConfig;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.datastore.resource.ResourceQuery;
import io.ocicat.ipam.model.IpamException;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads everything on each call: for a process that serves a single call. */
public final class UncachedClusterView implements ClusterView {
  private final IpamRecords records;
  private volatile @Nullable Duration cooldown;

  public UncachedClusterView(IpamRecords records) {
    this.records = records;
  }

  @Override
  public PoolList pools() {
    return PoolList.of(records.datastore().list(ResourceQuery.of(Kind.IP_POOL)).items());
  }

  @Override
  public Reservations reservations() {
    return toReservations(records.datastore().list(ResourceQuery.of(Kind.IP_RESERVATION)).items());
  }

  static Reservations toReservations(Collection<Resource> resources) {
    return resources.isEmpty()
        ? Reservations.NONE
        : new Reservations(resources.stream().map(IpReservation::of).toList());
  }

  @Override
  public Revisioned<Map<String, String>> labels(String node) {
    return records
        .find(ResourceKey.of(Kind.NODE, node))
        .map(UncachedClusterView::labels)
        .orElseThrow(() -> noSuchNode(node));
  }

  public static Revisioned<Map<String, String>> labels(Resource node) {
    return new Revisioned<>(node.labels(), node.key(), node.revision());
  }

  /** Read in the same call. */
  @Override
  public boolean areCurrent(Revisioned<Map<String, String>> labels) {
    return true;
  }

  static IpamException noSuchNode(String node) {
    return new IpamException(
        IpamException.Reason.NO_SUCH_NODE,
        "node %s does not exist in the datastore, so no pool can be chosen for it: create the Node, or correct the node's name"
            .formatted(node));
  }

  @Override
  public Revisioned<IpamConfig> config() {
    ResourceKey key = new ResourceKey.IpamConfig();
    Revisioned<IpamConfig> read =
        records
            .find(key)
            .map(resource -> new Revisioned<>(IpamConfig.of(resource), key, resource.revision()))
            .orElseGet(() -> new Revisioned<>(IpamConfig.DEFAULT, key, ""));
    cooldown = read.value().cooldown();
    return read;
  }

  /** Read once per call. */
  @Override
  public Duration cooldown() {
    Duration known = cooldown;
    return known == null ? config().value().cooldown() : known;
  }

  @Override
  public void invalidate() {
    cooldown = null;
  }

  @Override
  public void close() {}
}
