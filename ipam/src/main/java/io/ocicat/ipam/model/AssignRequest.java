package io.ocicat.ipam.model;

import io.ocicat.datastore.model.IpPool;
import io.ocicat.ip.IpAddress;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Wants one certain address.
 *
 * @param host who its block will belong to when there is no block yet
 * @param handle what it is found and released by; null for none
 * @param reserved what the host itself needs of each block; null for nothing
 * @param maxPerHandle how many addresses of a family the handle may have; 0 for any number
 * @param use what the pool must allow; null when that does not matter
 */
public record AssignRequest(
    IpAddress address,
    String host,
    @Nullable String handle,
    Map<String, String> attributes,
    @Nullable HostReserved reserved,
    int maxPerHandle,
    IpPool.@Nullable Use use) {
  public AssignRequest {
    attributes = Map.copyOf(attributes);
  }

  public AssignRequest(
      IpAddress address, String host, @Nullable String handle, Map<String, String> attributes) {
    this(address, host, handle, attributes, null, 0, null);
  }

  /** From a pool for whatever use. */
  public AssignRequest(
      IpAddress address,
      String host,
      @Nullable String handle,
      Map<String, String> attributes,
      @Nullable HostReserved reserved,
      int maxPerHandle) {
    this(address, host, handle, attributes, reserved, maxPerHandle, null);
  }
}
