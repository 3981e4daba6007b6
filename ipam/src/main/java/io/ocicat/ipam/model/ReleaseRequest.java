package io.ocicat.ipam.model;

import io.ocicat.ip.IpAddress;
import org.jspecify.annotations.Nullable;

/**
 * An address to be released, and what must be true for that.
 *
 * @param handle the one it must have; null for any
 * @param sequenceNumber the one it must have been given with, from {@link AddressInfo}; null for
 *     any
 */
public record ReleaseRequest(
    IpAddress address, @Nullable String handle, @Nullable Long sequenceNumber) {

  /** Whoever has it. */
  public static ReleaseRequest of(IpAddress address) {
    return new ReleaseRequest(address, null, null);
  }

  /** Only as it was when this was read. */
  public static ReleaseRequest of(AddressInfo read) {
    return new ReleaseRequest(read.address(), read.handle(), read.sequenceNumber());
  }
}
