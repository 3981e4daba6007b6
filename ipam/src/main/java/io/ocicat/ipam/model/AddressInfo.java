package io.ocicat.ipam.model;

import io.ocicat.datastore.resource.IpVersion;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * An assigned address.
 *
 * @param block the block that contains it
 * @param blockOwner the owner of the block; null for none
 * @param handle null when it was assigned without one
 * @param owner the attributes of its owner, as {@link CalicoConventions} writes them
 * @param alternate the second owner while a virtual machine migrates
 * @param sequenceNumber changes each time the address is assigned; for releasing it only if it was
 *     not reassigned
 */
public record AddressInfo(
    IpAddress address,
    IpPrefix block,
    @Nullable BlockOwner blockOwner,
    @Nullable String handle,
    Map<String, String> owner,
    Map<String, String> alternate,
    long sequenceNumber) {
  public AddressInfo {
    owner = Map.copyOf(owner);
    alternate = Map.copyOf(alternate);
  }

  public IpVersion version() {
    return IpVersion.of(block);
  }

  /** Returns the host that uses it, from its attributes or else the block's owner. */
  public Optional<String> node() {
    return Optional.ofNullable(owner.get(CalicoConventions.NODE))
        .or(() -> Optional.ofNullable(blockOwner).map(BlockOwner::name));
  }

  /** Whether the host that uses it does not own the block. */
  public boolean isBorrowed() {
    String node = owner.get(CalicoConventions.NODE);
    return node != null && (blockOwner == null || !node.equals(blockOwner.name()));
  }
}
