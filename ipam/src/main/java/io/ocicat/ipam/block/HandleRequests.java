package io.ocicat.ipam.block;

import io.ocicat.ip.IpAddress;
import java.util.List;
import java.util.Set;

/** Requests to a block that concern all addresses of one handle. */
final class HandleRequests {
  private HandleRequests() {}

  /**
   * Releases the handle's addresses.
   *
   * <p>When the block has none, another process may have updated the count and not yet written the
   * block, or have died in between. The block is written all the same, so that such a write fails
   * and its writer counts again; only then is the count removed.
   */
  static BlockRequest<List<IpAddress>> release(String id) {
    return new BlockRequest<>(
        edit -> {
          List<Integer> ordinals = edit.ordinalsOf(id);
          edit.touch();
          List<IpAddress> addresses = edit.addresses(ordinals);
          edit.free(ordinals);
          return addresses;
        },
        addresses -> !addresses.isEmpty(),
        Set.of(id));
  }

  /** Writes the block unchanged, and counts the handle's addresses. */
  static BlockRequest<Boolean> touch(String id) {
    return new BlockRequest<>(
        edit -> {
          edit.touch();
          return true;
        },
        _ -> true,
        Set.of(id));
  }
}
