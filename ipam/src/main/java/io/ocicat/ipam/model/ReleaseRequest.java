package io.ocicat.ipam.model;

import io.ocicat.ip.IpAddress;
import org.jspecify.annotations.Nullable;

/**
 * An address to release, and the conditions for that.
 *
 * @param handle the handle it must have; null for any
 * @param sequenceNumber the sequence number it must have been assigned with, from {@link
 *     AddressInfo}; null for any
 */
public record ReleaseRequest(
    IpAddress address, @Nullable String handle, @Nullable Long sequenceNumber) {

  /** Releases the address from any owner. */
  public static ReleaseRequest of(IpAddress address) {
    return new ReleaseRequest(address, null, null);
  }

  /** Releases the address only if it is unchanged since this was read. */
  public static ReleaseRequest of(AddressInfo read) {
    return new ReleaseRequest(read.address(), read.handle(), read.sequenceNumber());
  }
}
