package io.ocicat.ipam.model;

import io.ocicat.datastore.resource.IpVersion;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * An address that is in use.
 *
 * @param block the block it is of
 * @param blockOwner who the block belongs to; null for nobody
 * @param handle null when it was given without
 * @param owner who has it, as {@link CalicoConventions} writes it
 * @param alternate the second owner while a virtual machine moves
 * @param sequenceNumber changes each time the address is given; to release it only if it was not
 *     given anew
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

  /** The host that uses it: what its attributes say, else the block's owner. */
  public Optional<String> node() {
    return Optional.ofNullable(owner.get(CalicoConventions.NODE))
        .or(() -> Optional.ofNullable(blockOwner).map(BlockOwner::name));
  }

  /** Whether a host uses it that does not own the block. */
  public boolean isBorrowed() {
    String node = owner.get(CalicoConventions.NODE);
    return node != null && (blockOwner == null || !node.equals(blockOwner.name()));
  }
}
