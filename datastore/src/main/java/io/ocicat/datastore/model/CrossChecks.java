package io.ocicat.datastore.model;

import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.error.InvalidException;
import io.ocicat.datastore.error.NotFoundException;
import io.ocicat.datastore.resource.IpVersion;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.datastore.resource.ResourceQuery;
import io.ocicat.ip.IpPrefix;
import tools.jackson.databind.JsonNode;

/**
 * Checks a resource against the existing ones. As in Calico this is not a transaction: two
 * overlapping pools created at the same moment may both pass.
 */
public final class CrossChecks {
  private CrossChecks() {}

  /**
   * Checks a resource that has passed {@link ResourceAdmission#forCreate}.
   *
   * @throws InvalidException when it conflicts with an existing resource
   */
  public static void beforeCreate(Datastore datastore, Resource resource) {
    switch (resource.kind()) {
      case IP_POOL -> {
        checkPools(datastore, resource);
        checkBlocks(datastore, resource);
      }
      case NETWORK_POLICY,
          GLOBAL_NETWORK_POLICY,
          STAGED_NETWORK_POLICY,
          STAGED_GLOBAL_NETWORK_POLICY ->
          checkTier(datastore, resource);
      case BGP_PEER -> checkFilters(datastore, resource);
      default -> {}
    }
  }

  /**
   * Checks a resource that has passed {@link ResourceAdmission#forUpdate}.
   *
   * @throws InvalidException when it conflicts with an existing resource
   */
  public static void beforeUpdate(Datastore datastore, Resource resource) {
    if (resource.kind() == Kind.BGP_PEER) {
      checkFilters(datastore, resource);
    }
    if (resource.kind() == Kind.IP_POOL) {
      IpPool before = IpPool.of(datastore.get(resource.key()));
      IpPool after = IpPool.of(resource);
      if (!before.cidr().equals(after.cidr())) {
        throw refuse(resource, "spec.cidr cannot be changed from " + before.cidr());
      }
      if (before.blockSize() != after.blockSize()) {
        throw refuse(resource, "spec.blockSize cannot be changed from " + before.blockSize());
      }
      if (before.allows(IpPool.Use.LOAD_BALANCER) && !after.allows(IpPool.Use.LOAD_BALANCER)) {
        throw refuse(resource, "spec.allowedUses of a LoadBalancer pool cannot be changed");
      }
    }
  }

  /**
   * Checks that nothing else needs the resource to be deleted.
   *
   * @throws InvalidException when something does
   */
  public static void beforeDelete(Datastore datastore, ResourceKey key) {
    if (key.kind() != Kind.TIER) {
      return;
    }
    if (TierFields.builtIn().contains(key.name())) {
      throw new InvalidException(key.describe() + " cannot be deleted: Calico needs it");
    }
    for (Kind kind : Kind.values()) {
      if (kind.isTiered()) {
        for (Resource policy : datastore.list(ResourceQuery.of(kind)).items()) {
          if (policy.text("spec", "tier").filter(key.name()::equals).isPresent()) {
            throw new InvalidException(
                "%s cannot be deleted: %s is in it: delete or move its policies first"
                    .formatted(key.describe(), policy.describe()));
          }
        }
      }
    }
  }

  private static void checkFilters(Datastore datastore, Resource peer) {
    peer.read(
            content ->
                content
                    .path("spec")
                    .path("filters")
                    .valueStream()
                    .map(JsonNode::stringValue)
                    .toList())
        .forEach(
            filter -> {
              try {
                datastore.get(ResourceKey.of(Kind.BGP_FILTER, filter));
              } catch (NotFoundException e) {
                throw new InvalidException(
                    "%s is not valid: spec.filters names BGPFilter %s, which does not exist: create it first"
                        .formatted(peer.describe(), filter),
                    e);
              }
            });
  }

  private static void checkPools(Datastore datastore, Resource resource) {
    IpPrefix cidr = IpPool.of(resource).cidr();
    for (Resource other : datastore.list(ResourceQuery.of(Kind.IP_POOL)).items()) {
      IpPrefix taken = IpPool.of(other).cidr();
      if (!other.key().equals(resource.key()) && taken.overlaps(cidr) && !isPart(resource, other)) {
        throw refuse(
            resource,
            "spec.cidr %s overlaps %s of pool %s: choose addresses of its own"
                .formatted(cidr, taken, other.key().name()));
      }
    }
  }

  /** A pool that is being split stays, disabled, until all its parts exist. */
  private static boolean isPart(Resource part, Resource whole) {
    return whole.text("metadata", "annotations", IpPool.SPLIT_ANNOTATION).isPresent()
        && !IpPool.of(whole).enabled()
        && part.key().name().startsWith("split-")
        && IpPool.of(whole).cidr().contains(IpPool.of(part).cidr());
  }

  private static void checkBlocks(Datastore datastore, Resource resource) {
    IpPool pool = IpPool.of(resource);
    for (Resource block :
        datastore.list(new ResourceQuery.Blocks(IpVersion.of(pool.cidr()))).items()) {
      IpPrefix cidr = ((ResourceKey.Block) block.key()).cidr();
      if (cidr.length() != pool.blockSize() && cidr.overlaps(pool.cidr())) {
        throw refuse(
            resource,
            "spec.blockSize is %d, but block %s is still there from another pool: release it or use its size"
                .formatted(pool.blockSize(), cidr));
      }
    }
  }

  private static void checkTier(Datastore datastore, Resource resource) {
    String tier = resource.text("spec", "tier").orElse("");
    if (tier.isEmpty() || TierFields.builtIn().contains(tier)) {
      return;
    }
    try {
      datastore.get(ResourceKey.of(Kind.TIER, tier));
    } catch (NotFoundException e) {
      throw new InvalidException(
          "%s is not valid: spec.tier %s does not exist: create it first"
              .formatted(resource.describe(), tier),
          e);
    }
  }

  private static InvalidException refuse(Resource resource, String why) {
    return new InvalidException("%s is not valid: %s".formatted(resource.describe(), why));
  }
}
