package io.ocicat.ipam.model;

import io.ocicat.datastore.resource.AffinityType;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.ip.IpPrefix;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The owner of a block: a host, or the cluster's load balancer.
 *
 * @param name the host's name
 */
public record BlockOwner(AffinityType type, String name) {
  /** The owner of the addresses of LoadBalancer services. */
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

  /** Parses the form in a block, {@code host:node-1}. Empty for no owner or an unknown type. */
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

  /** The form in a block: {@code host:node-1}. */
  @Override
  public String toString() {
    return type.text() + ":" + name;
  }
}
