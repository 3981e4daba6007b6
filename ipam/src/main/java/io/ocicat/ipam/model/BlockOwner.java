package io.ocicat.ipam.model;

import io.ocicat.datastore.resource.AffinityType;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.ip.IpPrefix;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Who a block belongs to: a host, or the cluster's load balancer.
 *
 * @param name of the host
 */
public record BlockOwner(AffinityType type, String name) {
  /** Who the addresses of LoadBalancer services are given to. */
  public static final BlockOwner LOAD_BALANCER =
      new BlockOwner(AffinityType.VIRTUAL, "load-balancer");

  public BlockOwner {
    if (name.isEmpty()) {
      throw new IpamException(
          IpamException.Reason.INVALID_REQUEST, "the owner of a block needs a name");
    }
  }

  public static BlockOwner host(String name) {
    return new BlockOwner(AffinityType.HOST, name);
  }

  /** As a block has it: {@code host:node-1}. Nothing when there is no owner, or none we know. */
  public static Optional<BlockOwner> parse(@Nullable String affinity) {
    if (affinity != null) {
      for (AffinityType type : AffinityType.values()) {
        String prefix = type.text() + ":";
        if (affinity.startsWith(prefix) && affinity.length() > prefix.length()) {
          return Optional.of(new BlockOwner(type, affinity.substring(prefix.length())));
        }
      }
    }
    return Optional.empty();
  }

  public ResourceKey.Affinity keyOf(IpPrefix block) {
    return new ResourceKey.Affinity(type, name, block);
  }

  /** As a block has it: {@code host:node-1}. */
  @Override
  public String toString() {
    return type.text() + ":" + name;
  }
}
