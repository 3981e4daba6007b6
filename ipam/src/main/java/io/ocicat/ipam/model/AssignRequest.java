package io.ocicat.ipam.model;

import io.ocicat.datastore.model.IpPool;
import io.ocicat.ip.IpAddress;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A request for one specific address.
 *
 * @param host the owner of the block if it must be created
 * @param handle what the address is found and released by; null for none
 * @param reserved what the host reserves in each block; null for nothing
 * @param maxPerHandle how many addresses of a family the handle may have; 0 for any number
 * @param use the use that the pool must allow; null for any
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

  /** A request for an address of a pool with any allowed use. */
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
